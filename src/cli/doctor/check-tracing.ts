import type { Drydock } from '../../compose.ts'
import { tryTracing } from '../../security/try-tracing.ts'
import type { Check } from './check.ts'

/** Whether the gate can see which files steps read. Without it changes are verified as well. */
export async function checkTracing({ sandbox }: Drydock): Promise<Check> {
  const reason = await tryTracing(sandbox)
  const name = 'tracing'
  if (reason === null) return { name, ok: true, found: 'the gate can see which files steps read', exit: 0 }
  const where = sandbox.name === 'bubblewrap' ? '' : ', in the image of the sandbox'
  const consequence =
    'The gate knows files that decide about the steps only where commands and configuration name them.'
  return { name, ok: true, found: `none: ${reason}`, fix: `apt-get install strace${where}`, consequence, exit: 0 }
}
