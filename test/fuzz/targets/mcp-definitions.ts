import fc from 'fast-check'
import { expect } from 'vitest'
import { mcpSchemaProblem, readMcpInput } from '../../../src/agents/tools/mcp-input.ts'
import { registry } from '../../../src/agents/tools/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { limits } from '../../../src/domain/limits.ts'
import { canonicalText, type McpDefinition } from '../../../src/domain/mcp/definition.ts'
import { offeredTools } from '../../../src/domain/mcp/offered-tools.ts'
import { providerName } from '../../../src/domain/mcp/provider-name.ts'
import { damaged, nasty, nastyJson } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const text = { type: 'string', description: 'What to look for', pattern: '^(a+)+$', default: 'x' }
const schemas: readonly object[] = [
  { type: 'object', properties: { query: text, most: { type: ['integer', 'null'], minimum: 1 } }, required: ['query'] },
  {
    type: 'object',
    additionalProperties: false,
    $defs: { node: { type: 'array', items: { $ref: '#/$defs/leaf' } } },
    properties: {
      tree: { $ref: '#/$defs/node' },
      kind: { enum: ['a', 'b'] },
      one: { oneOf: [{ const: 1 }, { type: 'null' }] },
    },
  },
  {
    type: 'object',
    properties: { a: { allOf: [{ type: 'object', properties: { b: {} } }] } },
    patternProperties: { '^x': {} },
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {},
    anyOf: [{ required: ['a'] }],
  },
]
const names = ['search', 'read.file', 'a/b', '__proto__', 'constructor', 'x'.repeat(80)]

interface Input {
  readonly definitions: readonly McpDefinition[]
  readonly given: readonly unknown[]
}

const definition = fc.record({
  name: fc.oneof(fc.constantFrom(...names), nasty),
  description: fc.oneof(fc.constant('Search the docs.'), nasty),
  inputSchema: damaged(fc.constantFrom(...schemas)),
  annotations: fc.oneof(fc.constant({ readOnlyHint: true }), nastyJson),
})
const inputs = fc.record({
  definitions: fc.array(definition, { maxLength: 4 }),
  given: fc.array(nastyJson, { maxLength: 3 }),
}) as fc.Arbitrary<Input>

/** A server's definitions of its tools, and a model's input for them. */
export const mcpDefinitions: FuzzTarget<Input> = {
  name: 'mcp-definitions',
  async open() {
    return { inputs, check }
  },
}

function check({ definitions, given }: Input): void {
  expect(canonicalText(definitions.toReversed()).length).toBe(canonicalText(definitions).length)
  const taken = registry.map(({ name }) => name)
  const { tools, leftOut } = offeredTools(definitions, { server: 'read', roles: [], hash: '', taken })
  expect(tools.length + leftOut.length).toBe(definitions.length)
  expect(new Set(tools.map(({ name }) => providerName(name))).size).toBe(tools.length)
  for (const { tool, problem } of leftOut) expectSeen(`${tool} ${problem}`)
  for (const { name, description, inputSchema } of tools) {
    expect(providerName(name)).toMatch(/^read_[A-Za-z0-9_-]{0,59}$/)
    expectSeen(name)
    expect(taken).not.toContain(name)
    expectSeen(description)
    expectPassed(inputSchema)
    expect(inputSchema.type).toBe('object')
    if (mcpSchemaProblem(inputSchema) !== null) continue
    for (const value of given) readMcpInput(inputSchema, value)
  }
}

const passedKeys = new Set([
  'type',
  'description',
  'enum',
  'minimum',
  'maximum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
])

/** At no depth a provider would refuse the schema. */
function expectPassed(schema: JsonObject): void {
  for (const key of Object.keys(schema)) expect(passedKeys).toContain(key)
  const { properties = {}, items, anyOf = [], additionalProperties: more, description = '' } = schema
  expectSeen(String(description))
  const below = [...Object.values(properties as JsonObject), ...(anyOf as readonly JsonObject[]), items, more]
  for (const part of below) if (typeof part === 'object') expectPassed(part as JsonObject)
}

function expectSeen(words: string): void {
  expect(words).not.toMatch(/(?![\t\n])\p{Cc}|\p{Cf}/u)
  expect(words.isWellFormed()).toBe(true)
  expect(words.length).toBeLessThan(limits.mcp.descriptionChars + 200)
}
