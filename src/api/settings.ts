import { z } from 'zod'

/** One effective value, and its source. */
export const settingSchema = z.object({
  /** The key as in configuration files, such as `editor.review_rounds`. */
  key: z.string(),
  value: z.unknown(),
  /** `default`, `repository` (the committed file), `user`, `config` (`--config`) or `flag`. */
  from: z.enum(['default', 'repository', 'user', 'config', 'flag']),
})

export type Setting = z.infer<typeof settingSchema>

const settingValue = z.union([z.string().max(20_000), z.number(), z.array(z.string().max(200)).max(100)]).nullable()

/** A key of the user's own file that the page can change. */
export const ownSettingSchema = z.object({
  key: z.string(),
  title: z.string(),
  kind: z.enum(['text', 'long', 'number', 'list']),
  /** The value in the file; null if the file lacks the key. */
  value: settingValue,
  /**
   * True if the value has a form that the page does not know, so that only the file can change it.
   */
  other_form: z.boolean(),
  /** True if this server uses the new value only after a restart; other commands use it at once. */
  next_start: z.boolean(),
})

export type OwnSetting = z.infer<typeof ownSettingSchema>

/** POST /api/settings: null removes the key. `seen` is the value that the page showed. */
export const changeSettingSchema = z.strictObject({
  key: z.string().max(100),
  value: settingValue,
  seen: settingValue,
})

export type ChangeSetting = z.input<typeof changeSettingSchema>

export const changedSettingsSchema = z.object({ own: z.array(ownSettingSchema) })

export type ChangedSettings = z.infer<typeof changedSettingsSchema>

/**
 * GET /api/settings: the settings of a Run that starts now. Never contains a key or the value of an
 * environment variable.
 */
export const settingsSchema = z.object({
  repository: z.string(),
  /** The folder of the state. */
  state: z.string(),
  /** The path of the user's file, which may not exist. */
  user_file: z.string(),
  /** The file with the verification's configuration; null if there is none. */
  source: z.string().nullable(),
  /** The reason why there is no configuration, for people. */
  problem: z.object({ code: z.string(), message: z.string(), todo: z.string() }).nullable(),
  settings: z.array(settingSchema),
  /** The keys of the user's own file that can be changed; empty on a hub. */
  own: z.array(ownSettingSchema),
  /**
   * Providers, with the names of the environment variables for their keys, and whether these are
   * set.
   */
  providers: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      base_url: z.string().nullable(),
      key_env: z.string().nullable(),
      key_set: z.boolean(),
    }),
  ),
})

export type Settings = z.infer<typeof settingsSchema>
