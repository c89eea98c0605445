import { randomUUID } from 'node:crypto'
import { actRoutes } from '../../../api/act-routes.ts'
import type { EditedPlan } from '../../../api/plan.ts'
import type { Command } from '../../../domain/command.ts'
import { repositoriesOf } from '../../../domain/run/repositories.ts'
import type { PlanProblem } from '../../../domain/story/plan-problems.ts'
import { inOwnRepository } from '../../../domain/story/planned-story.ts'
import type { Records } from '../../../ports/store.ts'
import { editableIn, editProblems } from '../../../workflow/architect/edit-plan.ts'
import { planVersion } from '../../../workflow/architect/plan-version.ts'
import { authorOf } from '../../commands/author-of.ts'
import { applyAlone } from '../../commands/plan/apply-alone.ts'
import type { Installation } from '../../installation.ts'
import type { Ownership } from '../../ownership.ts'
import { reading } from '../../reading.ts'
import { usage } from '../../usage.ts'
import { findExactly } from '../../views/find/find-exactly.ts'
import { readPlan } from '../../views/plan/read-plan.ts'
import { type CommandQueue, type HandedOver, handOver } from '../hand-over.ts'
import { operation } from '../operation.ts'
import { allowed } from '../refusals.ts'

/**
 * Puts other stories in place of those of a plan. What is wrong with them, and that somebody was
 * faster, is an answer and no error; nothing is changed then.
 */
export const editPlan = operation(actRoutes.editPlan, {
  may: (run) =>
    editableIn(run) === null
      ? usage(`${run.id} has no plan that can be edited: it is ${run.state}.`, 'Plan a spec: drydock plan spec.md')
      : null,
  async run({ drydock, by }, { run: id, version, stories }) {
    const refused = await reading(drydock, async (records) => {
      const { run } = await findExactly(records, id)
      allowed(editPlan, run)
      if (planVersion(run.data.stories ?? []) !== version) return answer(records, id, { outcome: 'outdated' })
      const problems = await editProblems(records, run, inOwnRepository(stories, repositoriesOf(run)))
      return problems.length === 0 ? null : answer(records, id, { outcome: 'refused', problems })
    })
    if (refused !== null) return refused
    const edit = randomUUID()
    const author = await authorOf(drydock, by)
    const handed = await handIn(drydock, `plan/${edit}`, { kind: 'plan', run: id, edit, author, version, stories })
    return reading(drydock, async (records) => {
      if (handed !== 'applied') return answer(records, id, { outcome: 'edited', handed })
      const told = await records.recentEvents({ run: id, types: ['plan_edit'], limit: 100 })
      const data = told.find((event) => event.data.edit === edit)?.data
      if (data === undefined) throw new Error(`nobody has told what became of the edit ${edit}`)
      const problems = data.problems.map((message) => ({ story: null, field: null, message }))
      return answer(records, id, { outcome: data.outcome, problems, handed })
    })
  },
})

/** Applies the edit here if nobody works, so that its author hears the result at once. */
async function handIn(
  drydock: CommandQueue & Pick<Installation, 'user' | 'userRepository' | 'readConfig'> & Pick<Ownership, 'own'>,
  key: string,
  command: Command,
): Promise<HandedOver> {
  const handed = await handOver(drydock, key, command)
  if (handed !== 'recorded') return handed
  return (await applyAlone(drydock)) ? 'applied' : handOver(drydock, key, command)
}

type Came = Pick<EditedPlan, 'outcome'> & {
  readonly handed?: EditedPlan['handed']
  readonly problems?: readonly PlanProblem[]
}

async function answer(
  records: Records,
  id: string,
  { outcome, handed = 'applied', problems = [] }: Came,
): Promise<EditedPlan> {
  const { run } = await findExactly(records, id)
  return { run: run.id, handed, outcome, problems: [...problems], plan: await readPlan(records, run) }
}
