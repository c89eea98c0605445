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

/** True if a change has to wait for the tests. */
export function isAwaited(acceptance: Acceptance | null): boolean {
  return acceptance !== null && !isFinal(acceptance)
}

const none: WrittenTests = { files: [], stub: [], criteria: [], problems: [] }

/** The tests as they were stored last; empty before the author has handed in any. */
export async function testsOf(
  { store }: { readonly store: Pick<Records, 'acceptanceTests'> },
  { id }: Pick<Acceptance, 'id'>,
): Promise<WrittenTests> {
  return ((await store.acceptanceTests(id)) as WrittenTests | null) ?? none
}

/** The tests with which a whole change of a story is verified; null if there are none. */
export async function storyTests(
  deps: Pick<WorkflowDependencies, 'store'>,
  acceptance: Acceptance | null,
): Promise<StoryTests | null> {
  if (acceptance?.state !== 'READY' || acceptance.data.digest === null) return null
  return { tests: await testsOf(deps, acceptance), criteria: acceptance.data.criteria }
}

/** Encodes a file of a model for storage. */
export const encoded = ({ path, content }: AcceptanceFile): AcceptanceFile => ({
  path,
  content: Buffer.from(content).toString('base64'),
})
