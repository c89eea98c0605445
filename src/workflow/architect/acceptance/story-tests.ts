import { type Acceptance, acceptanceId } from '../../../domain/acceptance/acceptance.ts'
import type { AcceptanceFile, StoryTests, WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import type { Machine } from '../../../domain/machine.ts'
import { isFinal } from '../../../domain/machines.ts'
import type { Records } from '../../../ports/store.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'

/** The tests of a machine's story as they are now; null where none are written. */
export function acceptanceOf(
  records: Records,
  { run, story }: Pick<Machine, 'run' | 'story'>,
): Promise<Acceptance | null> {
  return story === null ? Promise.resolve(null) : records.machineOf('acceptance', acceptanceId(run, story))
}

/** Whether a change has to wait for them. */
export function isAwaited(acceptance: Acceptance | null): boolean {
  return acceptance !== null && !isFinal(acceptance)
}

const none: WrittenTests = { files: [], stub: [], criteria: [], problems: [] }

/** The tests as they were kept last; empty before its author has handed in any. */
export async function testsOf(
  { store }: { readonly store: Pick<Records, 'acceptanceTests'> },
  { id }: Pick<Acceptance, 'id'>,
): Promise<WrittenTests> {
  return ((await store.acceptanceTests(id)) as WrittenTests | null) ?? none
}

/** The tests that a whole change of a story is verified with; null without any. */
export async function storyTests(
  deps: Pick<WorkflowDependencies, 'store'>,
  acceptance: Acceptance | null,
): Promise<StoryTests | null> {
  if (acceptance?.state !== 'READY' || acceptance.data.digest === null) return null
  return { tests: await testsOf(deps, acceptance), criteria: acceptance.data.criteria }
}

/** A file as a model hands it in, as it is kept. */
export const encoded = ({ path, content }: AcceptanceFile): AcceptanceFile => ({
  path,
  content: Buffer.from(content).toString('base64'),
})
