import { z } from 'zod'

/** One value that holds, and where it comes from. */
export const settingSchema = z.object({
  /** As configuration files name it: `editor.review_rounds`. */
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
  /** What the file says; null where it says nothing. */
  value: settingValue,
  /** The file says it in a form that the page does not know; only the file changes it. */
  other_form: z.boolean(),
  /** This server works with it from its next start on; other commands heed it at once. */
  next_start: z.boolean(),
})

export type OwnSetting = z.infer<typeof ownSettingSchema>

/** POST /api/settings: null takes the key out. `seen` is what the page has shown. */
export const changeSettingSchema = z.strictObject({
  key: z.string().max(100),
  value: settingValue,
  seen: settingValue,
})

export type ChangeSetting = z.input<typeof changeSettingSchema>

export const changedSettingsSchema = z.object({ own: z.array(ownSettingSchema) })

export type ChangedSettings = z.infer<typeof changedSettingsSchema>

/**
 * GET /api/settings: what a Run that starts now would work with. Never a key, nor the value of an
 * environment variable.
 */
export const settingsSchema = z.object({
  repository: z.string(),
  /** Folder of the state. */
  state: z.string(),
  /** The user's file, which may not exist. */
  user_file: z.string(),
  /** The file that the verification comes from; null when there is none. */
  source: z.string().nullable(),
  /** Why there is no configuration, in people's words. */
  problem: z.object({ code: z.string(), message: z.string(), todo: z.string() }).nullable(),
  settings: z.array(settingSchema),
  /** What can be changed in the user's own file; nothing on a hub. */
  own: z.array(ownSettingSchema),
  /**
   * Providers, with the names of the variables that their keys come from, and whether these are
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
