import { actRoutes } from '../../../api/act-routes.ts'
import { isEnded, isHeld, type Run } from '../../../domain/run/run.ts'
import { canGoOn } from '../../../domain/story/can-go-on.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Story } from '../../../domain/story/story.ts'
import { namedModels } from '../../commands/check-models.ts'
import { namedMaxWait } from '../../commands/max-wait.ts'
import { overNamed } from '../../commands/named-options.ts'
import { reading } from '../../reading.ts'
import type { RecordSource, StateAccess } from '../../state-access.ts'
import { find } from '../find.ts'
import { command } from '../operation.ts'
import { done, ended } from '../refusals.ts'

export const resume = command(actRoutes.resume, {
  may(run) {
    if (run.state === 'ERROR' || run.state === 'PAUSED') return null
    if (isEnded(run.state)) return ended(run)
    return isHeld(run) ? null : isAtWork(run)
  },
  async run({ drydock, give }, { run: id, ...named }) {
    const { run } = await find(drydock, id)
    if (isEnded(run.state) && run.state !== 'ERROR') throw ended(run)
    const options = overNamed({}, named)
    const crew = run.data.policy.reviewer !== null
    const models = namedModels(drydock, options, { crew, before: run.data.models })
    const isNeeded = models !== null || (await canResume(drydock, run)) || !(await isWorkedOn(drydock, run))
    if (!isNeeded) throw isAtWork(run)
    return give({ kind: 'resume', run: run.id, models, ...namedMaxWait(drydock, options) })
  },
})

function isAtWork({ id, state }: Run) {
  return done(`${id} is ${state}, and a process works on it. It needs no resume.`, `See: drydock status ${id}`)
}

/** True if a resume continues the Run, or stories of it that the infrastructure ended. */
async function canResume(drydock: RecordSource, run: Run): Promise<boolean> {
  if (resume.may?.(run) === null) return true
  const stories = await reading(drydock, (records) => records.machines({ kind: 'story', run: run.id }))
  return stories.some(isInterrupted)
}

function isInterrupted(story: Story): boolean {
  return nameOf(story) !== null && canGoOn(story)
}

async function isWorkedOn({ ownerFacts }: Pick<StateAccess, 'ownerFacts'>, { id }: Run): Promise<boolean> {
  const facts = await ownerFacts()
  return facts !== null && (facts.asked === 'all' || facts.asked.includes(id))
}
