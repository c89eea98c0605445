import { actRoutes } from '../../../api/act-routes.ts'
import { limits } from '../../../domain/limits.ts'
import { isEnded } from '../../../domain/run/run.ts'
import { usage } from '../../usage.ts'
import { find, findOrStored } from '../find.ts'
import { command } from '../operation.ts'
import { allowed, done } from '../refusals.ts'

export const post = command(actRoutes.post, {
  may: (run) =>
    isEnded(run.state) ? done(`${run.id} has ended. Nobody would read the message.`, 'See: drydock report') : null,
  async run({ drydock, give }, { run: id, story, text }) {
    const work = await findOrStored(drydock, id)
    if (work !== null) allowed(post, work.run)
    if (story !== null) await find(drydock, `${id}/${story}`)
    return give({ kind: 'post', run: work?.run.id ?? id, story, text: checkText(text) })
  },
})

/** A text that a chat can hold. DrydockError `bad_usage`. */
export function checkText(given: string): string {
  const text = given.trim()
  if (text === '') throw usage('The message is empty.', 'Write some text.')
  if (text.length <= limits.chatChars) return text
  throw usage(`The message has ${text.length} characters. At most ${limits.chatChars} are allowed.`, 'Make it shorter.')
}
