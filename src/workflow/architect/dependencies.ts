import type { GateDependencies } from '../../gate/dependencies.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { ArchitectSandbox } from './architect-sandbox.ts'

/** The parts through which the architect sees the Run. */
export interface ArchitectDependencies
  extends Pick<StoryDependencies, 'store' | 'history' | 'guides'>,
    Pick<GateDependencies, 'artifacts'> {
  readonly architect: ArchitectSandbox
}
