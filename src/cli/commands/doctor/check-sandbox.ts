import type { Installation } from '../../../app/installation.ts'
import type { CommonOptions } from '../../context.ts'
import type { Check } from './check.ts'

/** Reports the selected sandbox, the reason for it, and the limits that it enforces. */
export async function checkSandbox(
  { sandbox, user }: Pick<Installation, 'user' | 'sandbox'>,
  options: CommonOptions,
): Promise<Check> {
  const probe = await sandbox.probe()
  const image = await sandbox.image()
  const from = image.ok && image.value ? `, image ${image.value.name}` : ''
  const chosen = `${sandbox.name} (${whyChosen(user, options)})${from}`
  if (probe.ok) return { name: 'sandbox', ok: true, found: `${chosen}; ${limitsHeld(probe.enforced)}`, exit: 0 }
  const { errorType, errorMessage } = probe.error
  return {
    name: 'sandbox',
    ok: false,
    found: `${chosen}: ${errorType}`,
    fix: errorMessage,
    consequence: 'Nothing can run.',
    exit: 4,
  }
}

function whyChosen(user: Installation['user'], options: CommonOptions): string {
  if (options.sandbox !== undefined) return '--sandbox'
  return user.sandbox.backend === undefined ? 'the default' : user.file
}

const limitNames: Readonly<Record<string, string>> = {
  memoryBytes: 'memory',
  fileBytes: 'file size',
  openFiles: 'open files',
  tmpfsBytes: 'temporary folders',
}

/** Lists each limit, and whether the sandbox enforces it fully on this machine. */
function limitsHeld(enforced: Readonly<Record<string, string>>): string {
  const byHow = Object.groupBy(Object.entries(enforced), ([, how]) => how)
  const names = (how: string) => byHow[how]?.map(([limit]) => limitNames[limit] ?? limit).join(', ')
  return ['enforced', 'best effort', 'not']
    .flatMap((how) => (byHow[how] === undefined ? [] : [`${how === 'not' ? 'not enforced' : how}: ${names(how)}`]))
    .join('; ')
}
