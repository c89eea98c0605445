import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/**
 * The reason why the folder for temporary files cannot be used, and the command that repairs it.
 */
export interface TemporaryFolderProblem {
  readonly found: string
  readonly fix: string
}

/** Every sandbox needs that folder. Null if folders can be created in it. */
export async function temporaryFolderProblem(): Promise<TemporaryFolderProblem | null> {
  const path = tmpdir()
  const found = (what: string) => `The folder for temporary files, ${path}, ${what}.`
  const other = 'export TMPDIR=<a folder that you can write to>'
  const entry = await stat(path).catch(() => null)
  if (entry === null)
    return { found: found('does not exist'), fix: `mkdir -p '${path.replaceAll("'", `'\\''`)}'   or ${other}` }
  if (!entry.isDirectory()) return { found: found('is not a folder'), fix: other }
  const isWritable = await access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  return isWritable ? null : { found: found('cannot be written to'), fix: other }
}
