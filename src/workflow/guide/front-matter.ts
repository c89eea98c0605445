import { isObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'

/** The data between two lines of dashes at the start of a Markdown file, and the text after it. */
export interface FrontMatter {
  readonly data: Readonly<Record<string, unknown>>
  readonly body: string
  /** The reason why the data could not be parsed; null if it could, or if there is none. */
  readonly problem: string | null
}

export async function splitFrontMatter(text: string): Promise<FrontMatter> {
  const opened = /^---[ \t]*\r?\n/.exec(text)
  if (opened === null) return { data: {}, body: text, problem: null }
  const rest = text.slice(opened[0].length)
  const closed = /^---[ \t]*$/m.exec(rest.slice(0, limits.guide.frontBytes).replaceAll('\r\n', ' \n'))
  if (closed === null) return { data: {}, body: text, problem: 'its front matter has no end' }
  const source = rest.slice(0, closed.index)
  const body = rest.slice(closed.index).replace(/^---[ \t]*\r?\n?/, '')
  const read = (await parseYaml(source)) ?? (await parseYaml(quoted(source)))
  return isObject(read)
    ? { data: read, body, problem: null }
    : { data: {}, body, problem: 'its front matter is not valid YAML' }
}

/** Undefined if the source is not YAML, or has anchors that expand without end. */
async function parseYaml(source: string): Promise<unknown> {
  // Imported late, since most repositories have no front matter and start faster without the
  // parser.
  const { parseDocument } = await import('yaml')
  try {
    const document = parseDocument(source, { logLevel: 'silent' })
    return document.errors.length > 0 ? undefined : (document.toJS({ maxAliasCount: 10 }) ?? {})
  } catch {
    return undefined
  }
}

/** Quotes plain values: people write `globs: *.ts` and `description: Use it: always`. */
function quoted(source: string): string {
  return source.replace(
    /^([\w-]+):[ \t]+([^\s"'[{|>&].*)$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  )
}

/** A text, the items of a list, or the parts between commas. */
export function listOf(value: unknown): readonly string[] {
  const items = typeof value === 'string' ? outsideBraces(value) : Array.isArray(value) ? value : []
  return items
    .filter((item): item is string => typeof item === 'string')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** A comma inside braces belongs to a glob. */
function outsideBraces(text: string): readonly string[] {
  const items: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i += 1) {
    depth += text[i] === '{' ? 1 : text[i] === '}' && depth > 0 ? -1 : 0
    if (text[i] !== ',' || depth > 0) continue
    items.push(text.slice(from, i))
    from = i + 1
  }
  return [...items, text.slice(from)]
}
