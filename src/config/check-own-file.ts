import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'

const writableByAll = 0o002
/** Of a folder in which nobody renames or removes what belongs to somebody else, as /tmp. */
const sticky = 0o1000

/**
 * The user's own file names programs, keys and addresses, so not everybody may write to it or put
 * another in its place. DrydockError `bad_config`.
 */
export async function checkOwnFile(file: string): Promise<void> {
  for (const path of [file, dirname(file)]) {
    const mode = (await stat(path).catch(() => null))?.mode ?? 0
    if ((mode & writableByAll) === 0 || (mode & sticky) !== 0) continue
    throw new DrydockError('bad_config', `Everybody can change ${path}, which decides what runs as you.`, {
      todo: `Run: chmod o-w ${JSON.stringify(path)}`,
    })
  }
}
