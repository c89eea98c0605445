import { acceptanceId } from '../../../domain/acceptance/acceptance.ts'
import type { WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import type { Criterion } from '../../../domain/acceptance/criteria.ts'
import type { Story } from '../../../domain/story/story.ts'
import { acceptanceFacts } from '../../../gate/acceptance/acceptance-facts.ts'
import type { Transaction } from '../../../ports/store.ts'
import { testsOf } from './story-tests.ts'

/**
 * A follow-up works on the code of another Run, so that Run's tests apply to it as well: as one
 * set, with renumbered criteria.
 */
export async function carryAcceptance(tx: Transaction, story: Story, followed: string): Promise<void> {
  const criteria: Criterion[] = []
  let all: WrittenTests = { files: [], stub: [], criteria: [], problems: [] }
  for (const before of await tx.machines({ kind: 'acceptance', run: followed, states: ['READY'] })) {
    if (before.data.digest === null) continue
    const tests = await testsOf({ store: tx }, before)
    const isTaken = tests.files.some(({ path }) => all.files.some((file) => file.path === path))
    if (isTaken) continue
    const ids = new Map(before.data.criteria.map(({ id }, i) => [id, `C${criteria.length + i + 1}`]))
    criteria.push(...before.data.criteria.map((each) => ({ ...each, id: ids.get(each.id) ?? each.id })))
    all = {
      ...all,
      files: [...all.files, ...tests.files],
      criteria: [...all.criteria, ...tests.criteria.map((each) => ({ ...each, id: ids.get(each.id) ?? each.id }))],
    }
  }
  if (all.criteria.length === 0) return
  const { run, story: name, data } = story
  const id = acceptanceId(run, name ?? '')
  const { digest } = acceptanceFacts(all)
  const carried = { base: data.base, lane: null, reader: null, returns: 0, criteria, interface: [], digest }
  const made = await tx.create({ id, kind: 'acceptance', run, story: name, data: carried }, 'rest')
  await tx.keepAcceptanceTests(id, all)
  await tx.move(made, 'ready', { next: 'rest' })
}
