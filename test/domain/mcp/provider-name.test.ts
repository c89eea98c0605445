import { expect, test } from 'vitest'
import { offeredTools } from '../../../src/domain/mcp/offered-tools.ts'
import { providerName } from '../../../src/domain/mcp/provider-name.ts'

const accepted = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const long = 'find_every_reference_to_a_symbol_in_all_of_the_open_documents_and_more'
const names = ['read.file', 'read/file', 'read_file', 'read file', '搜索', '検索', long, `${long}_too`, 'x'.repeat(700)]

function offered(tools: readonly string[]) {
  const definitions = tools.map((name) => {
    return { name, description: '', inputSchema: { type: 'object' }, annotations: null }
  })
  return offeredTools(definitions, { server: 'docs', roles: [], hash: '', taken: [] })
}

test('a name that every provider takes stays as it is', () => {
  for (const name of ['docs_search', 'a-b_C9', 'x'.repeat(64)]) expect(providerName(name)).toBe(name)
})

test('any other becomes a short one, the same in each process', () => {
  expect(providerName('docs_read.file')).toBe('docs_read_file_4s3v1v3v8t1h')
  expect(providerName(providerName('docs_read.file'))).toBe(providerName('docs_read.file'))
})

test('no tool is left out for its name, and no two are called alike', () => {
  const { tools, leftOut } = offered(names)
  expect(leftOut).toEqual([])
  const wire = tools.map(({ name }) => providerName(name))
  for (const name of wire) expect(name).toMatch(accepted)
  expect(new Set(wire).size).toBe(names.length)
})

test('people see the name that the server gives, and its calls go there', () => {
  const { tools } = offered(names)
  expect(tools.slice(0, 8).map(({ name }) => name)).toEqual(names.slice(0, 8).map((name) => `docs_${name}`))
  expect(tools.map(({ tool }) => tool)).toEqual(names)
})

test('a name does not depend on other tools', () => {
  const alone = names.map((name) => offered([name]).tools[0]?.name)
  expect(offered(names.toReversed()).tools.map(({ name }) => name)).toEqual(alone.toReversed())
})

test('a name in which something cannot be seen is told apart from the one it looks like', () => {
  const [plain, hidden] = offered(['search', 'sea\u200brch']).tools
  expect(plain?.name).toBe('docs_search')
  expect(hidden?.name).toMatch(/^docs_search…[0-9a-z]{12}$/)
})
