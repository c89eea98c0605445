import type { Installation } from '../../../app/installation.ts'
import type { Check } from './check.ts'

/** Checks each hook that Drydock would call for a question, without sending anything. */
export function checkHooks({ notifiers }: Pick<Installation, 'notifiers'>): Promise<Check[]> {
  const checked = notifiers.map(async ({ check }): Promise<Check> => {
    const { found, problem } = await check()
    if (problem === null) return { name: 'notify', ok: true, found, exit: 0 }
    const fix = 'Correct it, then try: drydock notify --test'
    return { name: 'notify', ok: false, found: problem, fix, consequence: 'Nobody is told of a question.', exit: 4 }
  })
  return Promise.all(checked)
}
