import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program on this machine's PATH. */
export function whereIs(program: string): string {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error(`there is no ${program} in PATH`)
  return found
}
