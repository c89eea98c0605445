import type { Installation } from '../../../app/installation.ts'
import type { Check } from './check.ts'

/**
 * Checks whether the gate can trace which files steps read. Verification works without that, too.
 */
export async function checkTracing({ sandbox }: Pick<Installation, 'sandbox'>): Promise<Check> {
  const reason = await sandbox.whyNotTraced()
  const name = 'tracing'
  if (reason === null) return { name, ok: true, found: 'the gate can see which files steps read', exit: 0 }
  const where = sandbox.name === 'bubblewrap' ? '' : ', in the image of the sandbox'
  const consequence =
    'The gate knows the files that decide about a step only if a command or the configuration names them.'
  return { name, ok: true, found: `none: ${reason}`, fix: `apt-get install strace${where}`, consequence, exit: 0 }
}
