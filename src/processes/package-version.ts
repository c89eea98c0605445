import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The version of the package that a program belongs to; null for one of no package. */
export function packageVersion(program: string): string | null {
  for (let folder = dirname(realpathSync(program)); folder.includes('/node_modules/'); folder = dirname(folder)) {
    const found = versionIn(join(folder, 'package.json'))
    if (found !== null) return found
  }
  return null
}

function versionIn(file: string): string | null {
  try {
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
