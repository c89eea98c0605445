import { isObject, type Json, type JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { withoutUnseen } from './without-unseen.ts'

export type PassedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly problem: string }

class Unpassable extends Error {}

const property = /^[A-Za-z0-9_.-]{1,64}$/
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

interface At {
  readonly root: JsonObject
  /** Names of the `$ref`s on the way to this part. */
  readonly refs: readonly string[]
  readonly depth: number
  /** Counts visited parts: references can make a short schema expand without end. */
  readonly seen: { parts: number }
}

/**
 * The part of a tool's JSON Schema that every provider accepts. Leaving parts out only allows more:
 * the server checks its own input. Patterns are left out, too, since nobody may give Drydock a
 * regular expression to run.
 */
export function passedSchema(given: Json): PassedSchema {
  try {
    if (!isObject(given)) throw new Unpassable('its schema is not an object')
    const schema = passed(given, { root: given, refs: [], depth: 0, seen: { parts: 0 } })
    if (schema.anyOf !== undefined) throw new Unpassable('its arguments are alternatives')
    if ((schema.type ?? 'object') !== 'object') throw new Unpassable('its arguments are not an object')
    const whole = { ...schema, type: 'object', properties: schema.properties ?? {} }
    if (JSON.stringify(whole).length > limits.mcp.schemaChars)
      throw new Unpassable(`its schema has more than ${limits.mcp.schemaChars} characters`)
    return { ok: true, schema: whole }
  } catch (error) {
    if (error instanceof Unpassable) return { ok: false, problem: error.message }
    throw error
  }
}

function passed(given: Json | undefined, at: At): JsonObject {
  at.seen.parts += 1
  if (at.depth > limits.mcp.schemaDepth || at.seen.parts > limits.mcp.schemaParts)
    throw new Unpassable('its schema is too deep or too large')
  if (given === true || given === undefined) return {}
  if (!isObject(given)) throw new Unpassable('its schema has a part that is not an object')
  const { $ref, ...beside } = given
  if ($ref !== undefined) {
    const { to, name } = resolved($ref, at)
    return passed({ ...to, ...beside }, { ...at, refs: [...at.refs, name], depth: at.depth + 1 })
  }
  const { allOf, ...own } = given
  if (Array.isArray(allOf)) {
    const [only, ...more] = allOf as readonly Json[]
    if (more.length > 0 || !isObject(only)) throw new Unpassable('its schema has an `allOf`')
    return passed({ ...only, ...own }, { ...at, depth: at.depth + 1 })
  }
  const { type } = given
  if (Array.isArray(type)) {
    const each = type.map((one) => passed({ ...given, type: one }, { ...at, depth: at.depth + 1 }))
    return each.length === 1 ? (each[0] ?? {}) : { ...described(given), anyOf: each.map(undescribed) }
  }
  const deeper = { ...at, depth: at.depth + 1 }
  return {
    ...described(given),
    ...(typeof type === 'string' && { type: known(type) }),
    ...enumOf(given),
    ...numbers(given),
    ...objectPart(given, deeper),
    ...(isObject(given.items) && { items: passed(given.items, deeper) }),
    ...alternatives(given, deeper),
  }
}

function objectPart(given: JsonObject, at: At): JsonObject {
  const { properties, required, additionalProperties: more, patternProperties } = given
  const names = isObject(properties) ? Object.keys(properties) : []
  const odd = names.find((name) => !property.test(name) || name === '__proto__')
  if (odd !== undefined) throw new Unpassable(`the name of an argument is not allowed: ${withoutUnseen(odd, 100)}`)
  const needed = Array.isArray(required) ? names.filter((name) => required.includes(name)) : []
  // Dropping the patterns would forbid names that they allow.
  const isClosed = more === false && patternProperties === undefined
  return {
    ...(isObject(properties) && {
      properties: Object.fromEntries(names.map((name) => [name, passed(properties[name], at)])),
    }),
    ...(needed.length > 0 && { required: needed }),
    ...(isClosed && { additionalProperties: false }),
    ...(isObject(more) && Object.keys(more).length > 0 && { additionalProperties: passed(more, at) }),
  }
}

function alternatives({ anyOf, oneOf }: JsonObject, at: At): JsonObject {
  const of = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null
  return of === null || of.length === 0 ? {} : { anyOf: of.map((one) => passed(one, at)) }
}

function described({ description }: JsonObject): JsonObject {
  if (typeof description !== 'string') return {}
  const shown = withoutUnseen(description, limits.mcp.descriptionChars)
  return shown === '' ? {} : { description: shown }
}

function undescribed({ description: _, ...schema }: JsonObject): JsonObject {
  return schema
}

function enumOf(given: JsonObject): JsonObject {
  const values = Array.isArray(given.enum) ? given.enum : given.const === undefined ? null : [given.const]
  if (values === null) return {}
  for (const value of values) {
    const isPlain = typeof value === 'string' ? withoutUnseen(value, value.length) === value.trim() : !isObject(value)
    if (!isPlain || Array.isArray(value)) throw new Unpassable('one of its values holds what cannot be shown')
  }
  return { enum: values }
}

function numbers({ minimum, maximum }: JsonObject): JsonObject {
  return { ...(typeof minimum === 'number' && { minimum }), ...(typeof maximum === 'number' && { maximum }) }
}

function known(type: string): string {
  if (!types.includes(type)) throw new Unpassable(`its schema has an unknown type: ${withoutUnseen(type, 50)}`)
  return type
}

/** Resolves a reference within the schema; nothing is fetched. */
function resolved(ref: Json | undefined, { root, refs }: At): { readonly to: JsonObject; readonly name: string } {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(typeof ref === 'string' ? ref : '') ?? []
  if (place === undefined || name === undefined) throw new Unpassable('its schema refers to something outside of it')
  if (refs.includes(name)) throw new Unpassable('its schema contains itself')
  const all = root[place]
  const to = isObject(all) && Object.hasOwn(all, name) ? all[name] : undefined
  if (!isObject(to)) throw new Unpassable('its schema refers to something that it does not have')
  return { to, name }
}
