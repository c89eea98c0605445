import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/domain/json.ts'
import { passedSchema } from '../../../src/domain/mcp/passed-schema.ts'

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })

describe('the schema of a tool of an MCP server', () => {
  test('is passed on without what some provider refuses', () => {
    const given = object(
      {
        query: { type: 'string', description: 'Words\u200b', pattern: '^(a+)+$', default: 'x', minLength: 1 },
        most: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 9 },
        kind: { const: 'page' },
        place: { $ref: '#/$defs/place', description: 'Where' },
        one: { oneOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
      },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        required: ['query', 'no-such'],
        additionalProperties: false,
        $defs: { place: { type: 'array', items: { type: 'string' }, maxItems: 3 } },
      },
    )
    const schema = {
      type: 'object',
      properties: {
        query: { description: 'Words', type: 'string' },
        most: {
          anyOf: [
            { type: 'integer', minimum: 1 },
            { type: 'null', minimum: 1 },
          ],
        },
        kind: { enum: ['page'] },
        place: { description: 'Where', type: 'array', items: { type: 'string' } },
        one: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['query'],
      additionalProperties: false,
    }
    expect(passedSchema(given)).toEqual({ ok: true, schema })
  })

  test('allows more, never less, when patterns of names are left out', () => {
    const given = object({}, { patternProperties: { '^x': {} }, additionalProperties: false })
    expect(passedSchema(given)).toEqual({ ok: true, schema: object({}) })
  })

  const bomb = Object.fromEntries(
    Array.from({ length: 14 }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` }
      return [`d${i}`, object({ a: next, b: next, c: next })]
    }),
  )

  test.each<[string, JsonObject]>([
    [
      'its schema contains itself',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { items: { $ref: '#/$defs/a' } } } }),
    ],
    ['its schema refers to something outside of it', object({ a: { $ref: 'https://example.com/schema' } })],
    [
      'its schema refers to something that it does not have',
      object({ a: { $ref: '#/$defs/constructor' } }, { $defs: {} }),
    ],
    ['its schema is too deep or too large', object({ a: { $ref: '#/$defs/d0' } }, { $defs: { ...bomb, d14: {} } })],
    ['its arguments are alternatives', object({}, { anyOf: [{ required: ['a'] }] })],
    ['its arguments are not an object', { type: 'string' }],
    ['the name of an argument is not allowed: a b', object({ 'a\u0007 b': {} })],
    ['one of its values holds what cannot be shown', object({ a: { enum: ['x\u202ey'] } })],
    ['its schema has more than 8000 characters', object({ a: { enum: ['x'.repeat(8_000)] } })],
  ])('cannot be passed on: %s', (problem, given) => {
    expect(passedSchema(given)).toEqual({ ok: false, problem })
  })
})
