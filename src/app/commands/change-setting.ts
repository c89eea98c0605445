import type { z } from 'zod'
import type { DeepReadonly } from '../../api/route.ts'
import type { changeSettingSchema, OwnSetting } from '../../api/settings.ts'
import { loadUserConfig } from '../../config/load.ts'
import {
  changeableSettings,
  readUserSettings,
  type SettingValue,
  writeUserSetting,
} from '../../config/user-settings.ts'
import type { Installation } from '../installation.ts'

/** Lists the keys of the user's own file that can be changed, with their values in the file. */
export async function readOwnSettings({
  user,
  env,
}: Pick<Installation, 'user' | 'env'>): Promise<readonly OwnSetting[]> {
  const written = await readUserSettings(user.file)
  const now = await loadUserConfig(env)
  return changeableSettings.map(({ key, title, kind }) => {
    const value = written.get(key)
    return {
      key,
      title,
      kind,
      value: copied(value ?? null),
      other_form: value === undefined,
      next_start: JSON.stringify(at(now, key)) !== JSON.stringify(at(user, key)),
    }
  })
}

/** Changes one key of the user's own file. Throws the DrydockErrors of `writeUserSetting`. */
export async function changeSetting(
  drydock: Pick<Installation, 'user' | 'env'>,
  { key, value, seen }: DeepReadonly<z.output<typeof changeSettingSchema>>,
): Promise<readonly OwnSetting[]> {
  await writeUserSetting(drydock.user.file, { key, value, seen })
  return readOwnSettings(drydock)
}

function copied(value: SettingValue): OwnSetting['value'] {
  return typeof value === 'object' && value !== null ? [...value] : value
}

function at(value: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((of, part) => (of as Record<string, unknown> | undefined)?.[part], value)
}
