import { ownedEnvironment, wayEnvironment } from '../environment.ts'
import { createTalkingGit } from '../git.ts'
import { layoutOf } from '../layout.ts'
import { type ControlPlace, controlSettings, createHubRemote } from './hub-remote.ts'

interface Trying {
  readonly control: ControlPlace
  /** Absolute path of a temporary folder. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/**
 * Lists a hub's branches through git, as a worker does, and returns their number. Throws
 * DrydockError `hub_refused` or `hub_unreachable`.
 */
export async function tryControl({ control, folder, environment, signal }: Trying): Promise<number> {
  const layout = layoutOf(folder)
  const own = ownedEnvironment(environment, { config: layout.config, home: layout.scratch })
  const git = createTalkingGit({ ...own, ...wayEnvironment(environment), ...controlSettings(control) })
  return (await createHubRemote(git, { ...control, closing: signal }).branchTips()).length
}
