import { expect, onTestFinished, test } from 'vitest'
import { providerName } from '../../../src/domain/mcp/provider-name.ts'
import { refusalsOf } from '../../wire/request-rules.ts'
import { ask, continued, dialectNames, hello, requestOf, wireModel } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const long = `docs_${'find_every_reference_'.repeat(5)}`
const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = ['docs_read.file', 'docs_read_file', long].map((name) => ({ name, description: 'Looks.', inputSchema }))

test.each(dialectNames)('%s gets names that it takes, and its calls come back under the tools’ own', async (name) => {
  const called = [...tools.map((tool) => providerName(tool.name)), 'docs_read.file']
  const wire = await startWireServer([
    { text: 'I look.', calls: called.map((tool) => ({ tool, input: { path: 'a' } })) },
    { text: `<tool_call>{"name": "${called[0]}", "arguments": {"path": "b"}}</tool_call>` },
    { text: 'Done.' },
  ])
  onTestFinished(() => wire.close())
  const model = wireModel(name, wire.origin)
  const heard: string[] = []
  const first = await model.reply(requestOf(hello, { tools }), new AbortController().signal, ({ tool }) => {
    if (tool !== undefined) heard.push(tool)
  })
  const own = [...tools.map((tool) => tool.name), 'docs_read.file']
  expect(first.stop === 'calls' && first.calls.map(({ tool }) => tool)).toEqual(own)
  for (const tool of heard) expect(own).toContain(tool)
  const then = continued(hello, first)
  expect(await ask(model, then, { tools })).toMatchObject({ calls: [{ tool: 'docs_read.file' }] })
  // A conversation that another provider started has its calls without their raw form.
  const plain = then.map((message) => ('raw' in message ? { ...message, raw: undefined } : message))
  await ask(model, plain as typeof then, { tools })
  for (const { dialect, body, raw } of wire.requests) {
    expect(refusalsOf(dialect ?? name, body)).toEqual([])
    expect(raw).toContain(providerName('docs_read.file'))
    expect(raw).not.toContain('"docs_read.file"')
  }
  expect(wire.requests).toHaveLength(3)
})
