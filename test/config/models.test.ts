import { describe, expect, test } from 'vitest'
import { type LoadedUserConfig, loadUserConfig } from '../../src/config/load.ts'
import { type ModelFlags, resolveModels } from '../../src/config/models.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'

const empty = await loadUserConfig({ HOME: '/nobody' })

interface Sources {
  readonly flags?: ModelFlags
  readonly models?: LoadedUserConfig['models']
  readonly env?: Record<string, string>
}

function models({ flags = {}, models = {}, env = {} }: Sources) {
  return resolveModels(['editor', 'scout'], { flags, user: { ...empty, models }, env })
}

function noModel(sources: Sources): DrydockError {
  try {
    models(sources)
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'no_model') return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the model of a role', () => {
  test("is the role's flag, then --model, then the user's role, then the user's default", () => {
    const user = { default: 'u:default', editor: 'u:editor' }
    expect(models({ models: user })).toEqual({ editor: 'u:editor', scout: 'u:default' })
    expect(models({ models: user, flags: { default: 'f:all' } })).toEqual({ editor: 'f:all', scout: 'f:all' })
    const flags = { default: 'f:all', scout: 'f:scout' }
    expect(models({ models: user, flags })).toEqual({ editor: 'f:all', scout: 'f:scout' })
  })

  test('need not be there for a role that is not asked for', () => {
    expect(models({ flags: { editor: 'f:a', scout: 'f:b' } })).toEqual({ editor: 'f:a', scout: 'f:b' })
  })

  test('is found for a whole crew, the architect’s by its own flag or key', () => {
    const crew = ['architect', 'editor', 'scout'] as const
    const ofCrew = (flags: ModelFlags, models: LoadedUserConfig['models'] = {}) =>
      resolveModels(crew, { flags, user: { ...empty, models }, env: {} })
    const all = { architect: 'f:all', editor: 'f:all', scout: 'f:all' }
    expect(ofCrew({ default: 'f:all' })).toEqual(all)
    expect(ofCrew({ default: 'f:all', architect: 'f:own' })).toEqual({ ...all, architect: 'f:own' })
    expect(ofCrew({ editor: 'f:a', scout: 'f:b' }, { architect: 'u:own', default: 'u:all' })).toEqual({
      architect: 'u:own',
      editor: 'f:a',
      scout: 'f:b',
    })
    expect(() => ofCrew({ editor: 'f:a', scout: 'f:b' })).toThrow('No model is configured for the architect')
  })

  test('set only for the architect does not apply to others', () => {
    expect(noModel({ flags: { architect: 'f:own' } }).message).toContain('for the editor')
  })

  test('missing for one role is an error that names the role', () => {
    expect(noModel({ flags: { editor: 'f:a' } }).message).toContain('for the scout')
  })

  test('missing everywhere says how to set one, and how to see Drydock work without', () => {
    const { todo } = noModel({})
    expect(todo).toContain('ANTHROPIC_API_KEY')
    expect(todo).toContain('--model anthropic:')
    expect(todo).toContain('drydock demo')
    expect(todo).toContain(empty.file)
  })

  test.each([
    ['ANTHROPIC_API_KEY', 'anthropic:'],
    ['OPENAI_API_KEY', 'openai:'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google:'],
  ])('is not guessed from %s, but the line to use is named', (key, provider) => {
    const error = noModel({ env: { [key]: 'secret-value' } })
    expect(error.message).toContain(`${key} is set`)
    expect(error.todo).toContain(`\`--model ${provider}`)
    expect(`${error.message} ${error.todo}`).not.toContain('secret-value')
  })
})
