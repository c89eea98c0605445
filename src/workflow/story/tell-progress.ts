import { limits } from '../../domain/limits.ts'
import type { OnProgress } from '../../domain/progress.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

interface About {
  readonly run: string
  readonly story: string | null
}

/**
 * Reports git's progress in the event log from time to time, if it takes more than a moment: the
 * first look at a large repository can take minutes.
 */
export async function tellingProgress<T>(
  { engine, clock }: Pick<WorkflowDependencies, 'engine' | 'clock'>,
  { run, story }: About,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const { afterMs, everyMs } = limits.gitProgress
  const now = () => clock.now().getTime()
  let next = now() + afterMs
  let telling: Promise<unknown> = Promise.resolve()
  const onProgress: OnProgress = (data) => {
    if (now() < next) return
    next = now() + everyMs
    const tell = () => engine.transact((tx) => tx.appendEvent({ run, story, type: 'git_progress', data }))
    // If the state cannot be written, the step itself will fail, since it is about to write as
    // well.
    telling = telling.then(tell).catch(() => undefined)
  }
  try {
    return await work(onProgress)
  } finally {
    await telling
  }
}
