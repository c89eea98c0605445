import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'

/** The meaning of a name in a script. */
export interface Binding {
  readonly local: string
  /** `default` for a module as a whole, too. */
  readonly imported: string
  readonly from: string
}

const imports =
  /^[ \t]*import\s+(?:(?<whole>[\w$]+)\s*,?\s*)?(?:\*\s*as\s+(?<all>[\w$]+)\s*)?(?:\{(?<some>[^{}]*)\}\s*)?from\s*(?:"(?<double>[^"\n]+)"|'(?<single>[^'\n]+)')/gm
const requires =
  /^[ \t]*(?:const|let|var)\s+(?:(?<whole>[\w$]+)|\{(?<some>[^{}]*)\})\s*=\s*(?:\w+\()?require\(\s*(?:"(?<double>[^"\n]+)"|'(?<single>[^'\n]+)')\s*\)(?:\.(?<member>\w+))?/gm

/** The names that a script imports from modules. */
export function scriptBindings(path: string, text: string): readonly Binding[] {
  const code = maskCode(text, syntaxOf(path, text))
  return [...text.matchAll(imports), ...text.matchAll(requires)].flatMap(({ index, 0: line, groups = {} }) => {
    const { whole, all, some, double, single, member } = groups
    const start = index + line.search(/\S/)
    // The match starts inside of a comment or string.
    if (!/[a-z]/.test(code.charAt(start))) return []
    const from = (double ?? single ?? '').replace(/^node:/, '')
    const names = [whole, all].filter((name) => name !== undefined)
    return [
      ...names.map((local): Binding => ({ local, imported: member ?? 'default', from })),
      ...(some ?? '').split(',').flatMap((each) => bindingOf(each, from)),
    ]
  })
}

function bindingOf(part: string, from: string): readonly Binding[] {
  const [, imported, local = imported] = /^\s*([\w$]+)(?:\s*(?:\bas\b|:)\s*([\w$]+))?\s*$/.exec(part) ?? []
  return imported === undefined || local === undefined ? [] : [{ local, imported, from }]
}
