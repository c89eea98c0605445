import { syntaxOf } from '../code-syntax.ts'
import { isProgramText } from './c-canary.ts'
import { goCanary } from './go-canary.ts'
import { javaCanary } from './java-canary.ts'
import { javascriptCanary } from './javascript-canary.ts'
import { type Build, type PlantResult, plantProgram } from './plant-program.ts'
import type { Planting } from './planting.ts'
import { pythonCanary } from './python-canary.ts'
import { rustCanary } from './rust-canary.ts'
import { shellCanary } from './shell-canary.ts'

/**
 * The changes that a tree needs for the canary of a test file. A refusal without a reason has
 * nothing to do with the file.
 */
export function plant(planting: Planting & { readonly build: Build | null }): PlantResult {
  const { path, build, isFirst = false } = planting
  // A program is its own first and last test.
  if (isProgramText(path))
    return build === null || isFirst ? { ok: false, reason: null } : plantProgram(planting, build)
  const text = plantCanary(planting)
  return text === null ? { ok: false, reason: null } : { ok: true, files: [{ path, text }] }
}

/**
 * A test file with additional tests that assert something false, in the style of the file: its
 * runner, its assertions, its imports. The additional tests share the file's place and process, so
 * anything that affects its tests affects them. Null for a file that cannot get any.
 */
export function plantCanary(planting: Planting): string | null {
  const eol = planting.text.includes('\r\n') ? '\r\n' : '\n'
  return plantIn(planting)?.replaceAll(/\r?\n/g, eol) ?? null
}

function plantIn(planting: Planting): string | null {
  const { path, text } = planting
  switch (syntaxOf(path, text).language) {
    case 'script':
      return javascriptCanary(planting)
    case 'python':
      return path.endsWith('.py') ? pythonCanary(planting) : null
    case 'go':
      return goCanary(planting)
    case 'rust':
      return rustCanary(planting)
    case 'shell':
      return shellCanary(planting)
    default:
      return path.endsWith('.java') ? javaCanary(planting) : null
  }
}
