import { expect, test } from 'vitest'
import {
  readEnvironment,
  readHookVariables,
  readModelVariables,
  readPackageManagerVariables,
} from '../../src/config/environment.ts'

test('the state is below DRYDOCK_HOME, else XDG_STATE_HOME, else the home', () => {
  const stateRoot = (env: Record<string, string>) => readEnvironment({ HOME: '/home/ann', ...env }).stateRoot
  expect(stateRoot({})).toBe('/home/ann/.local/state/drydock')
  expect(stateRoot({ XDG_STATE_HOME: '/state' })).toBe('/state/drydock')
  expect(stateRoot({ XDG_STATE_HOME: '/state', DRYDOCK_HOME: '/own' })).toBe('/own')
  expect(stateRoot({ XDG_STATE_HOME: '', DRYDOCK_HOME: '' })).toBe('/home/ann/.local/state/drydock')
  expect(stateRoot({ XDG_STATE_HOME: 'not/absolute' })).toBe('/home/ann/.local/state/drydock')
})

test('everything has a value in an empty environment', () => {
  const environment = readEnvironment({})
  expect(environment).toMatchObject({ noColor: false, path: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin' })
  expect(environment.userFile.endsWith('/.config/drydock/config.json')).toBe(true)
})

test('reads the rest of what Drydock takes from the environment', () => {
  const env = { HOME: '/home/ann', XDG_CONFIG_HOME: '/config', PATH: '/bin', NO_COLOR: '1', CI: 'true', OTHER: 'x' }
  expect(readEnvironment(env)).toEqual({
    home: '/home/ann',
    userFile: '/config/drydock/config.json',
    cache: '/home/ann/.cache/drydock',
    stateRoot: '/home/ann/.local/state/drydock',
    path: '/bin',
    droppedPath: [],
    noColor: true,
    triesModels: true,
  })
})

test('variables for models are the known ones and those that providers name, when set', () => {
  const env = {
    ANTHROPIC_API_KEY: ' a ',
    OPENAI_API_KEY: '',
    OPENAI_BASE_URL: 'http://localhost:1/v1',
    LOCAL_KEY: 'l',
    AWS_SECRET: 's',
  }
  const providers = {
    local: { kind: 'openai-compatible', baseURL: 'http://localhost:2', apiKeyEnv: 'LOCAL_KEY' },
    open: { kind: 'openai-compatible', baseURL: 'http://localhost:3' },
  } as const
  expect(readModelVariables(env, providers)).toEqual({
    ANTHROPIC_API_KEY: 'a',
    OPENAI_BASE_URL: 'http://localhost:1/v1',
    LOCAL_KEY: 'l',
  })
})

test('a hook of the user’s sees the desktop, and no key', () => {
  const env = { HOME: '/home/ann', PATH: '/bin', DISPLAY: ':0', LANG: '', ANTHROPIC_API_KEY: 'a', OTHER: 'x' }
  expect(readHookVariables(env)).toEqual({ HOME: '/home/ann', PATH: '/bin', DISPLAY: ':0' })
})

test('package managers get their own settings, but not those that npm sets for its child processes', () => {
  const env = {
    PATH: '/usr/bin',
    NPM_CONFIG_REGISTRY: 'https://user.example/',
    npm_config_registry: 'https://project.example/',
    PIP_INDEX_URL: 'https://pip.example/simple',
    SSL_CERT_FILE: '',
    OTHER_TOKEN: 'hidden',
  }
  const own = { NPM_CONFIG_REGISTRY: 'https://user.example/', PIP_INDEX_URL: 'https://pip.example/simple' }
  expect(readPackageManagerVariables(env)).toEqual({ ...own, npm_config_registry: 'https://project.example/' })
  expect(readPackageManagerVariables({ ...env, npm_execpath: '/usr/bin/npm' })).toEqual(own)
})
