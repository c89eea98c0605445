import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'

interface Own {
  readonly header: string
  /** The line above its header. */
  readonly above: string
  readonly body: string
  readonly lines: number
}

/** True if a block has nothing to run: an abstract or empty body, or code for type checks alone. */
export function isTrivial(path: string, { header, above, body }: Own): boolean {
  if (/^\s*if\s+(?:typing\.)?TYPE_CHECKING\b/.test(header) || /@\w*\.?(?:abstractmethod|overload)\b/.test(above))
    return true
  const code = maskCode(body, syntaxOf(path, body)).replaceAll(/[\s;]/g, '')
  return /^(?:pass|\.\.\.|raiseNotImplementedError(?:\(\))?|(?:todo|unimplemented|unreachable)!\(\)|return)?$/.test(
    code,
  )
}

/** True if a block is only the few lines that start a program. */
export function isGlue({ header, lines }: Own): boolean {
  return (
    lines <= mostGlue &&
    /\b__name__\b|\bimport\.meta\.(?:main|url|filename)\b|require\.main\b|\b(?:func|fn|int|void)\s+main\s*\(/.test(
      header,
    )
  )
}

/** True if code outside of all functions is only the few lines that start a program. */
export function isStart(path: string, text: string, lines: number): boolean {
  return lines <= mostGlue && (text.startsWith('#!') || /(?:^|\/)(?:bin\/[^/]+|__main__\.py)$/.test(path))
}

const mostGlue = 3

/** True if a block only passes on the error of a call that may fail. */
export function isPassedOn({ header, body, lines }: Own): boolean {
  if (!/\berr\w*\s*!=\s*nil\b|\bif\s*\(\s*(?:e|err|error)\s*\)/.test(header)) return false
  return lines <= 2 && /^\s*(?:\{\s*)?(?:return|throw|panic|log\.Fatal\w*)\b/.test(body)
}

/** True if the body of an error check names the error that its header checks. */
export function namesItsError({ header, body }: Own): boolean {
  const name = /\b(err\w*)\s*!=\s*nil\b|\bif\s*\(\s*(e|err|error)\s*\)/.exec(header)?.slice(1).find(Boolean)
  return name !== undefined && new RegExp(`\\b${name}\\b`).test(body)
}
