import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Drydock } from '../compose.ts'
import { limits } from '../domain/limits.ts'
import { temporaryFolders } from '../domain/temporary-folders.ts'
import { whyNotTraced } from '../workflow/assurance/traced-command.ts'
import type { Check } from './check.ts'

/** Whether the gate can see which files steps read. Without it changes are verified as well. */
export async function checkTracing({ sandbox }: Drydock): Promise<Check> {
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.doctor))
  try {
    await mkdir(join(folder, 'logs'))
    const place = {
      path: folder,
      report: (path: string) => readFile(join(folder, path), 'utf8').catch(() => null),
      forget: async () => undefined,
    }
    const spec = { mounts: [{ path: folder, access: 'write' } as const], cwd: '/', env: {}, limits: limits.sandbox }
    const reason = await whyNotTraced(sandbox, { spec, folder: place }, new AbortController().signal)
    const name = 'tracing'
    if (reason === null) return { name, ok: true, found: 'the gate can see which files steps read', exit: 0 }
    const where = sandbox.name === 'bubblewrap' ? '' : ', in the image of the sandbox'
    const consequence =
      'The gate knows files that decide about the steps only where commands and configuration name them.'
    return { name, ok: true, found: `none: ${reason}`, fix: `apt-get install strace${where}`, consequence, exit: 0 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
