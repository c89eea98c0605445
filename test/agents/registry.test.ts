import { describe, expect, test } from 'vitest'
import { postMessageInput } from '../../src/agents/tools/post-message.ts'
import {
  type Offer,
  registry,
  terminalToolOf,
  toolDocumentationOf,
  toolSpecsOf,
  toolsOf,
} from '../../src/agents/tools/registry.ts'
import { replyInput } from '../../src/agents/tools/submit-reply.ts'
import { storiesInput } from '../../src/agents/tools/submit-stories.ts'
import type { AgentRole } from '../../src/domain/lane/lane.ts'
import { systemOf } from '../../src/workflow/lane/system-prompt.ts'

const roles: readonly AgentRole[] = [
  ...(['editor_planning', 'editor_coding', 'codebase_scout', 'build_scout'] as const),
  ...(['architect_scoping', 'architect_stories', 'architect_review', 'architect_question'] as const),
  ...(['architect_budget', 'architect_interview'] as const),
]
const names = (role: AgentRole, offer?: Offer) => toolsOf(role, offer).map(({ name }) => name)

describe('the registry', () => {
  test('gives each role its tools and no more', () => {
    const reading = ['read_file', 'list_files', 'search_files']
    const chat = ['post_message', 'read_messages']
    const editing = ['edit_file', 'apply_patch', 'write_file', 'move_file', 'delete_file']
    expect(Object.fromEntries(roles.map((role) => [role, names(role)]))).toEqual({
      editor_planning: [...reading, 'get_diff', 'run_command', 'check_command', 'ask_scout', ...chat, 'submit_plan'],
      editor_coding: [
        ...reading,
        'get_diff',
        ...editing,
        'run_command',
        'check_command',
        'update_todos',
        'ask_scout',
        ...chat,
        'submit_change',
        'no_change',
      ],
      architect_scoping: [...reading, ...chat, 'submit_reply', 'too_vague'],
      architect_interview: [...reading, 'ask_user', ...chat, 'submit_spec'],
      architect_stories: [...reading, ...chat, 'submit_stories'],
      architect_review: [...reading, 'get_diff', ...chat, 'submit_reply'],
      architect_question: [...reading, 'get_diff', ...chat, 'submit_reply'],
      architect_budget: ['submit_reply'],
      codebase_scout: [...reading, 'submit_report'],
      build_scout: [...reading, 'submit_report'],
    })
  })

  test('lets editors ask an architect, and nobody else, where one reviews their work', () => {
    for (const role of roles) {
      const more = names(role, { isReviewed: true }).filter((name) => !names(role).includes(name))
      expect(more, role).toEqual(role.startsWith('editor') ? ['ask_architect'] : [])
    }
  })

  test('gives each role one way out, and a second one to who writes or reads a spec first', () => {
    for (const role of roles) {
      const ends = toolsOf(role).filter(({ kind }) => kind === 'terminal')
      expect(ends[0]).toBe(terminalToolOf(role))
      const second = role === 'editor_coding' ? ['no_change'] : role === 'architect_scoping' ? ['too_vague'] : []
      expect(ends.slice(1).map(({ name }) => name)).toEqual(second)
      expect(terminalToolOf(role).name).toMatch(/^submit_/)
    }
  })

  test('documents every tool of a role in its prompt, with all its fields', () => {
    for (const role of roles) {
      const offer = { isReviewed: true }
      const prompt = systemOf(role, offer)
      expect(prompt).toContain(toolDocumentationOf(role, offer))
      for (const { name, inputSchema } of toolSpecsOf(role, offer)) {
        const [line = ''] = prompt.split('\n').filter((each) => each.startsWith(`- \`${name}(`))
        expect(line, `${role} ${name}`).not.toBe('')
        for (const field of Object.keys(inputSchema.properties ?? {})) expect(line).toContain(field)
      }
    }
    expect(systemOf('editor_coding')).toContain('- `edit_file(path, old, new, all?, more?)`')
    expect(systemOf('architect_review')).toContain('- `read_file(path, offset?, limit?, column?, coder_id?)`')
    expect(systemOf('architect_review')).toContain('- `get_diff(coder_id, path?, base?)`')
    expect(systemOf('architect_review')).toContain(
      '- `submit_reply(response, verdict, findings?, accepted?, settled?)`',
    )
  })

  test('gives no role two tools of one name', () => {
    for (const role of roles) expect(names(role)).toEqual([...new Set(names(role))])
  })

  test('lets nobody but the architect name a workspace', () => {
    const naming = roles.filter((role) => JSON.stringify(toolSpecsOf(role)).includes('coder_id'))
    expect(naming).toEqual([
      'architect_scoping',
      'architect_stories',
      'architect_review',
      'architect_question',
      'architect_interview',
    ])
  })

  test('says each tool in one line', () => {
    for (const { purpose } of registry) expect(purpose).toMatch(/^[^\n]{10,200}$/)
  })

  test('takes no field that it does not name, in any tool', () => {
    for (const role of roles)
      for (const { inputSchema } of toolSpecsOf(role))
        expect(inputSchema).toMatchObject({ additionalProperties: false })
  })
})

describe('what is handed in', () => {
  const finding = { severity: 'minor', file: '', claim: 'Unclear.', evidence: 'a.ts:1' }
  const story = { id: 'parser', title: 'Parser', content: 'Parse.', acceptance_criteria: ['It parses.'] }

  test('as a reply needs words and, for each finding, a claim and its evidence', () => {
    expect(replyInput().parse({ response: 'Fine.' })).toEqual({ response: 'Fine.' })
    const full = {
      response: 'No.',
      verdict: 'REJECTED',
      findings: [{ ...finding, id: 'C1', line: 3 }],
      accepted: ['C2'],
    }
    expect(replyInput().parse(full)).toEqual(full)
    for (const wrong of [
      {},
      { response: '' },
      { response: 'x'.repeat(16_001) },
      { response: 'x', verdict: 'MAYBE' },
      ...[
        { ...finding, line: 0 },
        { ...finding, severity: 'nit' },
        { ...finding, evidence: '' },
      ].map((each) => ({
        response: 'x',
        findings: [each],
      })),
      { response: 'x', findings: Array(51).fill(finding) },
      { response: 'x', comment: 'y' },
    ])
      expect(replyInput().safeParse(wrong).success, JSON.stringify(wrong).slice(0, 100)).toBe(false)
  })

  test('as stories has ids that branches and lanes can be named for, and depends on nothing unless it says so', () => {
    expect(storiesInput().parse({ stories: [story] })).toEqual({
      stories: [{ ...story, depends_on: [], files_hint: [] }],
    })
    for (const id of ['task', '', '-a', 'a b', 'a/b', 'a@2', 'a'.repeat(41)])
      expect(storiesInput().safeParse({ stories: [{ ...story, id }] }).success, id).toBe(false)
    for (const id of ['a', '0', 'Parser_2', 'task-2', 'a'.repeat(40)])
      expect(storiesInput().safeParse({ stories: [{ ...story, id }] }).success, id).toBe(true)
  })

  test('as stories may lack criteria, which is refused with the other problems of the set', () => {
    const bare = { ...story, acceptance_criteria: [] }
    expect(storiesInput().safeParse({ stories: [bare] }).success).toBe(true)
    expect(storiesInput().safeParse({ stories: Array(201).fill(bare) }).success).toBe(false)
  })

  test('as a message has at most 4,096 characters and answers a message by its number', () => {
    expect(postMessageInput().safeParse({ content: 'x'.repeat(4_096), reply_to: '12' }).success).toBe(true)
    for (const wrong of [{ content: '' }, { content: 'x'.repeat(4_097) }, { content: 'x', reply_to: '1; drop' }])
      expect(postMessageInput().safeParse(wrong).success).toBe(false)
  })
})
