import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { cBlocks, goBlocks, rustBlocks } from './brace-blocks.ts'
import type { CodeBlocks, ProbePlace } from './code-block.ts'
import { pythonBlocks } from './python-blocks.ts'
import { scriptBlocks } from './script-blocks.ts'

/** Languages in which a probe can report that its code ran. */
export type ProbeLanguage = 'javascript' | 'typescript' | 'python' | 'go' | 'rust' | 'c'

const byName: readonly (readonly [RegExp, ProbeLanguage])[] = [
  [/\.[cm]?jsx?$/i, 'javascript'],
  [/\.[cm]?tsx?$/i, 'typescript'],
  [/\.py$/i, 'python'],
  [/\.go$/i, 'go'],
  [/\.rs$/i, 'rust'],
  [/\.(?:c|cc|cpp|cxx|h|hh|hpp)$/i, 'c'],
]

export function probeLanguage(path: string): ProbeLanguage | null {
  return byName.find(([name]) => name.test(path))?.[1] ?? null
}

/** The family of a file's language; code of one family runs in the same process. */
export function familyOf(path: string): string | null {
  const language = probeLanguage(path)
  return language === 'typescript' ? 'javascript' : language
}

const readers: Readonly<Record<ProbeLanguage, (code: string) => CodeBlocks>> = {
  javascript: scriptBlocks,
  typescript: scriptBlocks,
  python: pythonBlocks,
  go: goBlocks,
  rust: rustBlocks,
  c: cBlocks,
}

/** The bodies and branches in a file, with types masked; null for an unsupported language. */
export function blocksOf(path: string, text: string): CodeBlocks | null {
  const language = probeLanguage(path)
  if (language === null) return null
  return readers[language](maskCode(text, syntaxOf(path, text)))
}

/**
 * A few places that run early if any code of the file runs: probes there show that reports from
 * this language arrive.
 */
export function earlyPlaces(path: string, text: string): readonly ProbePlace[] {
  const read = blocksOf(path, text)
  if (read?.module) return [read.module]
  const bodies = read?.blocks.flatMap(({ isFunction, probe }) => (isFunction && probe ? [probe] : [])) ?? []
  return bodies.slice(0, mostPlaces)
}

const mostPlaces = 10
