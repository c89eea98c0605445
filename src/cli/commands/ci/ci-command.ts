import { usage } from '../../../app/usage.ts'
import type { CommonOptions, Context } from '../../context.ts'
import type { CiOptions } from './ci.ts'
import type { CiInitOptions } from './ci-init.ts'

/** Checks a change in a pipeline, or writes the workflow that does. */
export async function ciCommand(
  context: Context,
  [what, service]: readonly string[],
  options: CommonOptions & CiOptions & CiInitOptions,
): Promise<number> {
  const { from, commit, ...checking } = options
  if (what === 'init') return (await import('./ci-init.ts')).ciInit(context, service, options)
  if (what !== undefined) throw usage(`There is no "drydock ci ${what}".`, 'drydock ci, or drydock ci init github')
  if ((from ?? commit) !== undefined)
    throw usage('--from and --commit work only with init.', 'drydock ci init github --from <url>')
  return (await import('./ci.ts')).ci(context, checking)
}
