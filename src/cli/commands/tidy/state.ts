import { usage } from '../../../app/usage.ts'
import { copyTarget } from '../../../config/database/database-server.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'

type StateOptions = CommonOptions & { readonly to?: string }

/** Moves the rows of the state between its file and a server. */
export async function state(context: Context, [what]: readonly string[], options: StateOptions): Promise<number> {
  const { output } = context
  if (what !== 'copy') throw usage(`drydock state knows no ${what}.`, 'See: drydock state --help')
  if (options.to === undefined) {
    throw usage('drydock state copy needs --to.', 'For example: drydock state copy --to postgres')
  }
  const drydock = await open(context, options)
  const copied = await drydock.copyState(options.to === 'sqlite' ? 'sqlite' : copyTarget(drydock, options.to))
  if (copied === null) {
    throw usage('Another drydock process works on this repository.', 'End it first; then run the same command again.')
  }
  const { from, to, rows } = copied
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0)
  output.emit({ type: 'state_copy', from, to, rows })
  output.say(`Copied ${count} rows from ${from} to ${to}.`)
  output.say('The state is there from now on. What it was copied from is an old copy; nothing reads it any more.')
  output.say(
    options.to === 'sqlite'
      ? 'Next: unset DRYDOCK_DATABASE_URL, and remove "state" from your own configuration.'
      : 'Next: set DRYDOCK_DATABASE_URL to that database, or "state": { "postgres": … } in your own configuration.',
  )
  return 0
}
