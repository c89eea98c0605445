import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Drydock } from '../../compose.ts'
import { usage } from '../usage.ts'

/** DrydockError `bad_usage` for a file that is not in the repository. */
export function checkFiles({ repository }: Drydock, files: readonly string[]): void {
  for (const path of files) {
    if (isAbsolute(path) || path.split('/').includes('..') || !existsSync(join(repository, path))) {
      throw usage(`--file ${path} is not in the repository.`, 'Name it relative to the top of the repository.')
    }
  }
}
