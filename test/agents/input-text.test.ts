import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkCall } from '../../src/agents/answer-call.ts'
import { toolSpecsOf } from '../../src/agents/tools/registry.ts'
import type { Json } from '../../src/domain/json.ts'
import { type AgentRole, freshLane, type Lane } from '../../src/domain/lane/lane.ts'
import { scoutLimits } from '../../src/domain/lane/next-request.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/** A valid input for the schema, with the text wherever a text is allowed. */
function inputOf({ type, items, properties, anyOf, ...schema }: Schema, text: string): Json {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0] ?? null
  if (anyOf !== undefined) return inputOf(anyOf[0] ?? {}, text)
  if (type === 'string') return text
  if (type === 'boolean') return false
  if (type === 'number' || type === 'integer') return 1
  if (type === 'array') return [inputOf(items ?? {}, text)]
  return Object.fromEntries(Object.entries(properties ?? {}).map(([key, each]) => [key, inputOf(each, text)]))
}

function checked(role: AgentRole, tool: string, input: Json) {
  const call = { id: '1', tool, input }
  const data = { ...freshLane, key: 'k', role, parent: '', system: '', limits: scoutLimits, calls: [call] }
  return checkCall({ lane: { data } as unknown as Lane, call })
}

const roles: readonly AgentRole[] = [
  'editor_coding',
  'editor_planning',
  'build_scout',
  'architect_review',
  'architect_stories',
]
const rows = roles.flatMap((role) =>
  toolSpecsOf(role).map(({ name, inputSchema }) => [role, name, inputSchema as Schema] as const),
)
/** Tools whose input has free text; the others only accept texts of a certain shape, or none. */
const open = rows.filter(([role, name, schema]) => {
  const input = inputOf(schema, 'a text')
  return JSON.stringify(input).includes('a text') && 'tool' in checked(role, name, input)
})

describe.each(open)('of %s, %s', (role, name, schema) => {
  test('takes every text that a file can hold, as it is', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\\u0000', 's.replace(/[\\u0000-\\u001f]/g, "")'),
    )
    fc.assert(
      fc.property(
        texts.filter((text) => text.trim() !== '' && !text.includes('\0')),
        (text) => {
          const input = inputOf(schema, text)
          const found = checked(role, name, input)
          // Some texts are too long or of another shape, but no character causes a refusal.
          expect(found).not.toMatchObject({ outcome: { output: expect.stringMatching(/NUL|surrogate/) } })
          if ('tool' in found) expect(JSON.stringify(found.input)).toContain(JSON.stringify(text).slice(1, -1))
        },
      ),
    )
  })

  test.each([
    ['a\0b', 'a NUL character'],
    ['a\ud800', 'half of a surrogate pair'],
    ['\udc00b', 'half of a surrogate pair'],
  ])('refuses %j and names where it is', (text, what) => {
    const found = checked(role, name, inputOf(schema, text))
    expect(found).toMatchObject({
      outcome: { ok: false, output: expect.stringMatching(new RegExp(`\`\\w.*\` has ${what}`)) },
    })
  })
})

test('most tools are among those, and all that write files', () => {
  const names = new Set(open.map(([, name]) => name))
  for (const name of ['write_file', 'edit_file', 'apply_patch', 'move_file', 'run_command', 'submit_change'])
    expect(names).toContain(name)
})
