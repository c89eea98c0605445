import { readFile, writeFile } from 'node:fs/promises'

export const eventsDoc = new URL('../docs/events.md', import.meta.url)
const source = new URL('../src/domain/event.ts', import.meta.url)

/**
 * The text of docs/events.md, generated from the comments and fields of `EventData`. A member
 * without a comment is an error.
 */
export async function eventList(): Promise<string> {
  const text = await readFile(source, 'utf8')
  const body = /^export interface EventData \{\n([\s\S]*?)^\}/m.exec(text)?.[1] ?? ''
  const members = [
    ...body.matchAll(/^ {2}(?:\/\*\* (.*?) \*\/\n {2})?(\w+): ([\s\S]*?)(?=^ {2}(?:\/\*\*|\w+:)|$(?![\s\S]))/gm),
  ]
  const rows = members.map(([, said, type = '', shape = '']) => {
    if (said === undefined) throw new Error(`EventData.${type} has no comment`)
    return `| \`${type}\` | ${said} | \`${fieldsOf(shape)}\` |`
  })
  return `# Events

Each step of a run is an event. \`--json\` prints events as lines, \`GET /api/events\` sends them, \`drydock log\` describes them. Every event has
\`id\`, \`run\`, \`story\` (null for the run itself), \`type\`, \`at\` (ISO 8601) and \`data\`, whose fields a line of \`--json\` has beside the others. On a
[hub](hub.md), \`actor\` names the person who caused it. Ids grow, and an event never changes. A field marked \`?\` can be missing. One
without a type is a text, a number or a flag; \`a/b\` is a or b.

\`npm run docs\` makes this page from \`src/domain/event.ts\`.

| type | what it says | \`data\` |
| --- | --- | --- |
${rows.join('\n')}
`
}

/**
 * The fields in one line, without the parts that only the compiler needs, and without the types of
 * texts, numbers and flags.
 */
function fieldsOf(shape: string): string {
  const plain = shape
    .replace(/\/\*\*.*?\*\/|\breadonly /gs, '')
    .replace(/\['(\w+)'\]/g, '.$1')
    .replace(/: (?:string|number|boolean)\b(?! \|(?! null\b))/g, '')
  const lines = plain
    .trim()
    .split(/\s*\n\s*/)
    .join('; ')
  return lines.replaceAll(/\{; /g, '{ ').replaceAll('; }', ' }').replaceAll(' | ', '/')
}

if (import.meta.main) await writeFile(eventsDoc, await eventList())
