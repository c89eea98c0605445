import { randomUUID } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

/** Sends a test message through every notifier that the user has configured. */
export async function notify(context: Context, _args: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const { notifiers, user } = await open(context, options)
  if (notifiers.length === 0) {
    throw new DrydockError('bad_usage', 'No webhook or command is configured.', {
      todo: `Put "notify" with a webhook or a command into ${user.file}.`,
    })
  }
  const about = { type: 'test', run: 'test', story: null, title: 'A test of Drydock', message: null } as const
  const notice = { id: `test/${randomUUID()}`, ...about, question: 'Your hook works. You need to do nothing.' }
  let delivered = true
  for (const { name, deliver } of notifiers) {
    const delivery = await deliver(notice, new AbortController().signal)
    delivered &&= delivery.ok
    output.emit({ type: 'notified', notifier: name, ...delivery })
    if (!output.json) output.say(delivery.ok ? `${name}: delivered` : `${name}: ${delivery.error}`)
  }
  return delivered ? 0 : 4
}
