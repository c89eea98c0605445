import { describe, expect, test } from 'vitest'
import { mcpSchemaProblem, readMcpInput } from '../../src/agents/tools/mcp-input.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    lines: { type: 'integer' },
    names: { type: 'array', items: { type: 'string' } },
  },
  required: ['path'],
  additionalProperties: false,
}
const read = (input: unknown) => readMcpInput(schema, input)

describe('the input of a tool of an MCP server', () => {
  test('arrives as it is', () => {
    const input = { path: 'a', lines: 2, names: ['x'] }
    expect(read(input)).toEqual({ ok: true, input })
  })

  test('is mended where its meaning is plain', () => {
    expect(read({ path: 'a', lines: '2', names: 'x', more: 1 })).toEqual({
      ok: true,
      input: { path: 'a', lines: 2, names: ['x'] },
    })
    expect(read({ path: 'a', lines: null })).toEqual({ ok: true, input: { path: 'a' } })
  })

  test('is refused with each place that is wrong', () => {
    expect(read({ lines: 'two' })).toMatchObject({
      ok: false,
      problems: expect.stringMatching(/^path: .*\nlines: .*$/),
    })
    expect(read('a')).toMatchObject({ ok: false, problems: expect.stringMatching(/^input: /) })
    expect(read({ path: null })).toMatchObject({ ok: false, problems: expect.stringMatching(/^path: /) })
  })

  test('cannot be checked against an invalid schema', () => {
    expect(mcpSchemaProblem(schema)).toBeNull()
    expect(mcpSchemaProblem({ type: 'no such type' })).toBe('its schema cannot be checked')
  })
})
