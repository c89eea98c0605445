import { changedPlaces } from '../../domain/gate/changed-lines.ts'
import {
  type Disguise,
  disguisesIn,
  escapedText,
  hiddenInPath,
  mayBeDisguised,
  namesIn,
} from '../../domain/gate/disguises.ts'
import { isProgram } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import type { ChangedText } from './changed-texts.ts'

/** Changed files with added lines that read as something other than what they are. */
export async function inDisguise(texts: readonly ChangedText[]): Promise<readonly Suspicion[]> {
  const odd = texts.filter(({ text, file }) => mayBeDisguised(text) || mayBeDisguised(file.path))
  const found: Suspicion[] = []
  for (const each of odd) {
    const { path, status } = each.file
    const { diff, isAdded } = await each.added()
    const others = isProgram(path) ? namesBeside(texts, each) : new Set<string>()
    const inLines = disguisesIn({ path, before: await each.before(), after: each.text, isAdded, others })
    const inPath = status === 'modified' ? [] : hiddenInPath(path)
    const name = escapedText(path)
    const own = inPath.length === 0 ? [] : [{ line: 0, text: name, characters: inPath, names: [] }]
    const disguises = [...own, ...inLines]
    if (disguises.length === 0) continue
    const lines = disguises.map(({ line, text }) => (line === 0 ? `${text} (its name)` : `${name}:${line}: ${text}`))
    const numbers = new Set(inLines.map(({ line }) => each.text.split('\n')[line - 1]))
    const places = changedPlaces(diff, (line) => line.startsWith('+') && numbers.has(line.slice(1)))
    found.push({
      kind: 'disguised',
      file: path,
      claim: claimOf(name, disguises),
      evidence: listed(lines),
      identity: [path, ...disguises.map(({ text }) => text), ...places],
    })
  }
  return found
}

function namesBeside(texts: readonly ChangedText[], own: ChangedText): ReadonlySet<string> {
  const others = texts.filter((each) => each !== own && isProgram(each.file.path))
  return new Set(others.flatMap(({ file, text }) => [...namesIn(text, file.path)]))
}

/** Most kinds of characters, and most names, in the claim. */
const most = 4

function claimOf(name: string, disguises: readonly Disguise[]): string {
  const characters = disguises.flatMap((each) => each.characters)
  const kinds = [...new Set(characters.map(({ code, name }) => `${code} ${name}`))]
  const names = [...new Set(disguises.flatMap((each) => each.names))]
  const some = (all: readonly string[]) => [...all.slice(0, most), ...(all.length > most ? ['…'] : [])].join(', ')
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  const what = [
    ...(kinds.length === 0 ? [] : [`${counted(characters.length, 'hidden character')} (${some(kinds)})`]),
    ...(names.length === 0 ? [] : [`${counted(names.length, 'name')} that can be taken for others (${some(names)})`]),
  ]
  return `${name} reads as something else than it is: the change adds ${what.join(' and ')}. Remove them, or write escapes.`
}
