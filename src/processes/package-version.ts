import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, parsedJson } from '../domain/json.ts'

/** The version of the package that a program belongs to; null outside of a package. */
export function packageVersion(program: string): string | null {
  for (let folder = dirname(realpathSync(program)); folder.includes('/node_modules/'); folder = dirname(folder)) {
    const found = versionIn(join(folder, 'package.json'))
    if (found !== null) return found
  }
  return null
}

function versionIn(file: string): string | null {
  try {
    const manifest = parsedJson(readFileSync(file, 'utf8'))
    return isObject(manifest) && typeof manifest.version === 'string' ? manifest.version : null
  } catch {
    return null
  }
}
