import type { Generated } from 'kysely'

/**
 * The tables as Kysely types: only text, integers and ISO timestamps, so that other databases can
 * hold the same rows. JSON is stored as text.
 */
export interface Tables {
  /** The version of Drydock that introduced each migration. */
  schema_versions: { migration: string; drydock: string }
  machines: {
    sequence: Generated<number>
    id: string
    kind: string
    run: string
    story: string | null
    state: string
    version: number
    data: string
    /** The host of the slot that a Run or story holds. */
    host: string | null
    created_at: string
    updated_at: string
  }
  jobs: {
    id: Generated<number>
    queue: string
    machine: string
    version: number
    run_at: string
    run: string
    story: string | null
    /** The host that takes the job, `#` for the state's keeper, or empty for any worker. */
    host: string
  }
  events: {
    id: Generated<number>
    run: string
    story: string | null
    type: string
    data: string
    at: string
    actor: string | null
  }
  messages: { lane: string; sequence: number; message: string }
  model_calls: {
    id: Generated<number>
    lane: string
    turn: number
    run: string
    story: string | null
    agent: string
    model: string
    stop: string
    error: string | null
    input_tokens: number | null
    output_tokens: number | null
    cache_read_tokens: number | null
    cache_write_tokens: number | null
    cost_micro_usd: number | null
    started_at: string
    duration_ms: number
  }
  tool_executions: {
    id: Generated<number>
    session: string
    lane: string
    turn: number
    call_index: number
    call_id: string
    story: string | null
    agent: string
    tool: string
    arguments: string
    expectation: string | null
    started_at: string
    result: string | null
    success: number | null
    duration_ms: number | null
    finished_at: string | null
  }
  verifications: {
    run_id: string
    run: string
    story: string | null
    commit_sha: string
    status: string
    error_type: string | null
    error_message: string | null
    tail_log: string | null
    manifest: string | null
    finished_at: string
  }
  context_files: { run: string; story: string; n: number; milestone: string; content: string }
  acceptance_tests: { owner: string; tests: string }
  commands: {
    id: Generated<number>
    key: string
    kind: string
    payload: string
    created_at: string
    applied_at: string | null
  }
  chat_messages: {
    id: Generated<number>
    agent_id: string
    content: string
    timestamp: string
    reply_to: number | null
    post_type: string
    run: string
    story: string | null
    author: string | null
    asker_kind: string | null
    asker: string | null
  }
  forge_calls: {
    id: Generated<number>
    key: string
    run: string
    call: string
    request: string
    started_at: string
    answer: string | null
    finished_at: string | null
  }
  hub_tokens: {
    id: Generated<number>
    name: string
    role: string
    hash: string
    subject: string | null
    created_at: string
    expires_at: string | null
    last_used_at: string | null
  }
  hub_sessions: { hash: string; page_hash: string; token: number; expires_at: string }
  reservations: {
    id: Generated<number>
    run: string
    story: string | null
    lane: string
    micro_usd: number | null
    tokens: number
    open: number
  }
}
