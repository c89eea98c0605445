import type { RunConfig } from '../../domain/run/run-config.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { findDecidingFiles } from '../tracing/deciding-files.ts'
import { createTracing } from '../tracing/tracing.ts'
import { mayDecide } from './changed-configuration.ts'
import type { ComparingDeps } from './compared-files.ts'

interface MergeInput {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
  readonly config: RunConfig
}

/**
 * The files that decide on a merged commit, if they are known without another run of its steps:
 * those of its base, as long as the change touches none of them. Otherwise its steps are traced
 * when another change is compared with the commit.
 */
export async function inheritDeciders(
  deps: ComparingDeps,
  { base, change, files, config }: MergeInput,
  signal: AbortSignal,
): Promise<Pick<TreeTests, 'deciding' | 'checked'>> {
  if (base.deciding === undefined) return {}
  const decides = (path: string) => mayDecide(path, { base, config })
  if (!files.some(({ path, from = path }) => decides(path) || decides(from)))
    return { deciding: base.deciding, ...(base.checked && { checked: base.checked }) }
  if (!base.deciding.withoutTracer) return {}
  const traced = createTracing(config, base.deciding.untraced)
  return { deciding: await findDecidingFiles({ deps, commit: change.commit, config, traced, signal }) }
}
