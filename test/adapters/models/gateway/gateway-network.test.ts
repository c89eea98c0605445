import { expect, test } from 'vitest'
import type { Json } from '../../../../src/domain/json.ts'
import { gatewayWorld } from './gateway-world.ts'

const there = 'http://attacker.test/?what=it-found'
const inside = 'data:image/png;base64,AAAA'
const own = { type: 'function', name: 'get', parameters: { properties: { image_url: { type: 'string' } } } }

/** What each format calls its provider's own work, and what passes since the agent does it. */
const formats = [
  {
    ...{ provider: 'wire', path: '/v1/chat/completions' },
    refused: [
      { web_search_options: {} },
      { service_tier: 'priority' },
      { tools: [own, { type: 'web_search_preview' }] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: there } }] }] },
    ],
    passed: {
      service_tier: 'auto',
      tools: [own],
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: inside } }] },
        { role: 'assistant', tool_calls: [{ function: { name: 'get', arguments: JSON.stringify({ url: there }) } }] },
        { role: 'tool', content: `it reads ${there}` },
      ],
    },
  },
  {
    ...{ provider: 'openai', path: '/v1/responses' },
    refused: [
      { background: true },
      { tools: [{ type: 'web_search', external_web_access: true }] },
      { tools: [{ type: 'mcp', server_url: there }] },
      { tools: [{ type: 'namespace', name: 'a', tools: [own, { type: 'code_interpreter' }] }] },
      { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: there }] }] },
      { input: [{ type: 'function_call_output', output: [{ type: 'input_file', file_url: there }] }] },
    ],
    passed: {
      tools: [own, { type: 'custom', name: 'apply_patch' }, { type: 'namespace', tools: [own] }],
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: inside }] },
        { type: 'function_call', name: 'get', arguments: JSON.stringify({ file_url: there }) },
      ],
    },
  },
  {
    ...{ provider: 'anthropic', path: '/v1/messages' },
    refused: [
      { mcp_servers: [{ type: 'url', url: there, name: 'a' }] },
      { container: { skills: [] } },
      { speed: 'fast' },
      { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: there } }] }] },
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'a',
                content: [{ type: 'document', source: { type: 'url', url: there } }],
              },
            ],
          },
        ],
      },
    ],
    passed: {
      tools: [
        { name: 'get', input_schema: {} },
        { type: 'text_editor_20250728', name: 'edit' },
      ],
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'AAAA' } }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get', input: { url: there } }] },
      ],
    },
  },
  {
    ...{ provider: 'google', path: '/v1beta/models/gemini-3-pro:generateContent' },
    refused: [
      { tools: [{ googleSearch: {} }] },
      { tools: [{ functionDeclarations: [], url_context: {} }] },
      { contents: [{ role: 'user', parts: [{ fileData: { fileUri: there } }] }] },
      { contents: [{ role: 'user', parts: [{ file_data: { file_uri: there } }] }] },
    ],
    passed: {
      tools: [{ functionDeclarations: [{ name: 'get' }] }],
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'get', args: { url: there } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'get', response: { file_uri: there } } }] },
      ],
    },
  },
] satisfies readonly { provider: string; path: string; refused: readonly Json[]; passed: Json }[]

test.each(formats)(
  'through $path nothing reaches other hosts by way of the provider, or costs more than is counted',
  async ({ provider, path, refused, passed }) => {
    const { wire, ask, rows } = await gatewayWorld(() => ({ refusal: { status: 200, body: '{}' } }), { provider })
    for (const more of refused) {
      const answer = await ask({ path, body: { model: 'local', ...more } })
      expect([more, answer.status, answer.json.error.message]).toEqual([
        more,
        400,
        expect.stringContaining('passes no request with'),
      ])
    }
    expect([wire.requests, await rows()]).toEqual([[], []])
    expect((await ask({ path, body: { model: 'local', ...passed } })).status).toBe(200)
    expect(wire.requests).toHaveLength(1)
  },
)
