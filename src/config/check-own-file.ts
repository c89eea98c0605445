import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'
import { isOpenToAll } from '../domain/open-to-all.ts'

/**
 * The user's own file names programs, keys and addresses, so not everybody may write to it or put
 * another in its place. DrydockError `bad_config`.
 */
export async function checkOwnFile(file: string): Promise<void> {
  for (const path of [file, dirname(file)]) {
    const mode = (await stat(path).catch(() => null))?.mode ?? 0
    if (!isOpenToAll(mode)) continue
    throw new DrydockError('bad_config', `Everybody can change ${path}, which decides what runs as you.`, {
      todo: `Run: chmod o-w ${JSON.stringify(path)}`,
    })
  }
}
