import type { PrepareStep } from '../../domain/run/run-config.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/** Reports a running prepare step in the event log, since it can take minutes. */
export function announcePrepare(
  { engine }: Pick<WorkflowDependencies, 'engine'>,
  { run, story }: { readonly run: string; readonly story: string | null },
): (step: PrepareStep) => Promise<void> {
  return ({ name, command }) =>
    engine.transact((tx) => tx.appendEvent({ run, story, type: 'prepare', data: { step: name, command } }))
}
