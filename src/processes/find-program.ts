import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { hostPath } from './host-path.ts'

const found = new Map<string, string>()

/**
 * The absolute path of a program, or null. The first result is kept until this process ends, so
 * that a file that appears later in a folder of PATH is never used instead.
 */
export function findProgram(name: string, path: string): string | null {
  if (isAbsolute(name)) return isProgram(name) ? name : null
  if (name.includes('/')) return null
  const key = `${path}\0${name}`
  const known = found.get(key)
  if (known !== undefined) return known
  const files = hostPath(path)
    .path.split(delimiter)
    .map((folder) => join(folder, name))
  const file = files.find(isProgram) ?? null
  if (file !== null) found.set(key, file)
  return file
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
