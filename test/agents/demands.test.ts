import { describe, expect, test } from 'vitest'
import { readInput } from '../../src/agents/tools/read-input.ts'
import { registry, toolSpecsOf, toolsOf } from '../../src/agents/tools/registry.ts'
import type { AgentRole } from '../../src/domain/lane/lane.ts'
import { hypothesisMissing } from '../../src/workflow/editor/hypothesis-missing.ts'

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly minimum?: number
}

const roles = [...new Set(registry.flatMap((tool) => tool.roles))]
const offers = [{ hasSkills: true }, { hasSkills: true, hasRepositories: true }]
const everyTool = roles.flatMap((role) =>
  offers.flatMap((offer) =>
    toolSpecsOf(role, offer).map((spec) => ({
      name: `${spec.name} of ${role}${offer.hasRepositories ? ' over several repositories' : ''}`,
      tool: toolsOf(role, offer).find(({ name }) => name === spec.name),
      schema: spec.inputSchema as Schema,
    })),
  ),
)

/** A minimal value for a schema. */
function least({
  type,
  enum: values,
  properties = {},
  required = [],
  items,
  minItems = 0,
  minimum = 1,
}: Schema): unknown {
  if (values !== undefined) return values[0]
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, least(properties[name] ?? {})]))
  if (type === 'array') return Array.from({ length: minItems }, () => least(items ?? {}))
  if (type === 'integer' || type === 'number') return minimum
  return type === 'boolean' ? false : 'one'
}

describe.each(everyTool)('$name', ({ tool, schema }) => {
  test('takes a call with what its schema requires, and nothing else', () => {
    const read = readInput(
      tool?.input() as NonNullable<typeof tool>['input'] extends () => infer Of ? Of : never,
      least(schema),
    )
    expect(read.success, JSON.stringify(read.error?.issues)).toBe(true)
  })

  test('says of no field that it is needed which its schema calls optional', () => {
    const optional = fieldsOf(schema).filter(({ isRequired }) => !isRequired)
    for (const { field } of optional) expect(field.description ?? '').not.toMatch(/\brequired|must\b/i)
  })
})

function fieldsOf(schema: Schema): readonly { readonly isRequired: boolean; readonly field: Schema }[] {
  const { properties = {}, required = [], items } = schema
  const own = Object.entries(properties).flatMap(([name, field]) => [
    { isRequired: required.includes(name), field },
    ...fieldsOf(field),
  ])
  return items === undefined ? own : [...own, ...fieldsOf(items)]
}

test.each([
  ['hypothesis', 'submit_change', ['editor_coding'], hypothesisMissing('change')],
  ['hypothesis', 'submit_plan', ['editor_planning'], hypothesisMissing('plan')],
  ['verdict', 'submit_reply', ['architect_review', 'architect_budget'], 'verdict'],
  ['answer', 'submit_report', ['codebase_scout', 'build_scout'], 'answer'],
] as const)(
  '%s, which a workflow may ask for, is required by %s from the first request on',
  (field, name, of, words) => {
    expect(words).toContain(field)
    for (const role of of as readonly AgentRole[]) {
      const schema = toolSpecsOf(role).find((spec) => spec.name === name)?.inputSchema as Schema
      expect(schema.required).toContain(field)
      expect(JSON.stringify(schema)).not.toContain('x-stated')
    }
  },
)

test('a question and a scoping have no verdict to give', () => {
  for (const role of ['architect_question', 'architect_scoping'] as const) {
    const schema = toolSpecsOf(role).find((spec) => spec.name === 'submit_reply')?.inputSchema as Schema
    expect(Object.keys(schema.properties ?? {})).toEqual(['response'])
  }
})
