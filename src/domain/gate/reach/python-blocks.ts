import type { CodeBlock, CodeBlocks, ProbePlace } from './code-block.ts'

interface LogicalLine {
  readonly start: number
  readonly end: number
  readonly indent: string
  readonly text: string
}

/** The bodies and branches of a Python file with masked comments and strings. */
export function pythonBlocks(code: string): CodeBlocks {
  const lines = logicalLines(code)
  const blocks = lines.flatMap((line, i): readonly CodeBlock[] => {
    const colon = colonOf(line.text)
    if (colon === null) return []
    const { isFunction, at } = colon
    const own = { from: line.start, isFunction }
    const rest = line.text.slice(at + 1)
    if (rest.trim() !== '') {
      const start = line.start + at + 1
      return [{ ...own, start, end: line.end, probe: { form: 'inline', at: start } }]
    }
    const body = bodyOf(lines, i)
    const [last] = body.slice(-1)
    if (last === undefined) return []
    return [{ ...own, start: line.end, end: last.end, probe: lineBefore(body.find((each) => !isText(each))) }]
  })
  const first = lines.find((line) => !isText(line) && !/^from\s+__future__\b/.test(line.text))
  return { blocks, module: lineBefore(first) }
}

function lineBefore(line: LogicalLine | undefined): ProbePlace | null {
  return line === undefined ? null : { form: 'line', at: line.start - line.indent.length, indent: line.indent }
}

/** True for a line that is only a string, such as a docstring. */
const isText = ({ text }: LogicalLine) => /^[rbuf]{0,2}["']/i.test(text) && /["']$/.test(text)

const compound = /^(?:async\s+)?(?:def|if|elif|else|for|while|try|except|finally|with|match|case)\b/

/** The colon that ends the header of a compound statement. */
function colonOf(text: string): { readonly at: number; readonly isFunction: boolean } | null {
  if (!compound.test(text)) return null
  const isSoft = /^(?:match|case)\b/.test(text)
  if (isSoft && !/^(?:match|case)\b[^=.,)]*[^\s=.,)].*:/s.test(text)) return null
  let [depth, lambdas] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    else if (depth > 0) continue
    else if (character === 'l' && /(?<![\w.])lambda\b/y.test(text.slice(at))) lambdas += 1
    else if (character === ':' && text.charAt(at + 1) !== '=') {
      if (lambdas === 0) return { at, isFunction: /^(?:async\s+)?def\b/.test(text) }
      lambdas -= 1
    }
  }
  return null
}

function bodyOf(lines: readonly LogicalLine[], header: number): readonly LogicalLine[] {
  const indent = widthOf(lines[header]?.indent ?? '')
  const body: LogicalLine[] = []
  for (const line of lines.slice(header + 1)) {
    if (widthOf(line.indent) <= indent) break
    body.push(line)
  }
  return body
}

const widthOf = (indent: string): number => indent.replaceAll('\t', '        ').length

function logicalLines(code: string): readonly LogicalLine[] {
  const found: LogicalLine[] = []
  let [depth, start] = [0, 0]
  let quote: string | null = null
  const close = (end: number) => {
    const text = code.slice(start, end)
    const indent = /^[ \t]*/.exec(text)?.[0] ?? ''
    if (text.trim() !== '') found.push({ start: start + indent.length, end, indent, text: text.trim() })
    start = end + 1
  }
  for (let at = 0; at < code.length; at += 1) {
    const character = code.charAt(at)
    const long = code.slice(at, at + 3)
    if (quote !== null || long === '"""' || long === "'''") {
      if (quote === null) quote = long
      else if (long === quote) quote = null
      else continue
      at += 2
    } else if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth = Math.max(0, depth - 1)
    else if (character === '\n' && depth === 0 && code.charAt(at - 1) !== '\\') close(at)
  }
  close(code.length)
  return found
}
