import type { IDisplayOptions, INodeProperties } from "n8n-workflow";

export const showFor = (resource: string, ...operations: string[]): IDisplayOptions => ({
  show: { resource: [resource], ...(operations.length > 0 ? { operation: operations } : {}) },
});

export const PLATFORM_OPTIONS = [
  { name: "Bluesky", value: "bluesky" },
  { name: "Discord", value: "discord" },
  { name: "Facebook", value: "facebook" },
  { name: "Google Business", value: "google_business" },
  { name: "Instagram", value: "instagram" },
  { name: "LinkedIn", value: "linkedin" },
  { name: "Mastodon", value: "mastodon" },
  { name: "Pinterest", value: "pinterest" },
  { name: "Telegram", value: "telegram" },
  { name: "Threads", value: "threads" },
  { name: "TikTok", value: "tiktok" },
  { name: "X", value: "x" },
  { name: "YouTube", value: "youtube" },
];

export const accountLocator = (displayOptions: IDisplayOptions): INodeProperties => ({
  displayName: "Account",
  name: "accountId",
  type: "resourceLocator",
  default: { mode: "list", value: "" },
  required: true,
  description: "The connected account",
  displayOptions,
  modes: [
    {
      displayName: "From List",
      name: "list",
      type: "list",
      typeOptions: { searchListMethod: "searchAccounts", searchable: true },
    },
    { displayName: "By ID", name: "id", type: "string", placeholder: "e.g. acc_1a2b3c" },
  ],
});

export const poolLocator = (displayOptions: IDisplayOptions): INodeProperties => ({
  displayName: "Pool",
  name: "poolId",
  type: "resourceLocator",
  default: { mode: "list", value: "" },
  required: true,
  description: "The queue that publishes its items at times of day",
  displayOptions,
  modes: [
    {
      displayName: "From List",
      name: "list",
      type: "list",
      typeOptions: { searchListMethod: "searchPools", searchable: true },
    },
    { displayName: "By ID", name: "id", type: "string", placeholder: "e.g. pool_1a2b3c" },
  ],
});

export const limitFields = (displayOptions: IDisplayOptions): INodeProperties[] => [
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions,
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { ...displayOptions.show, returnAll: [false] } },
  },
];

export const simplifyField = (displayOptions: IDisplayOptions): INodeProperties => ({
  displayName: "Simplify",
  name: "simplify",
  type: "boolean",
  default: true,
  description: "Whether to return a simplified version of the response instead of the raw data",
  displayOptions,
});

/** Files of a post or pool item. */
export const FILE_FIELDS: INodeProperties[] = [
  {
    displayName: "Alternative Texts",
    name: "altTexts",
    type: "string",
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add Text" },
    default: [],
    description:
      "What the files show, for people who cannot see them: one for each file in its order, or one for all",
  },
  {
    displayName: "Image URLs",
    name: "imageUrls",
    type: "string",
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add URL" },
    default: [],
    placeholder: "e.g. https://example.com/image.png",
    description:
      "Public addresses of images or documents, which Akimbo downloads when it publishes",
  },
  {
    displayName: "Input Binary Fields",
    name: "binaryFields",
    type: "string",
    default: "",
    placeholder: "e.g. data",
    description:
      "Names of the fields of the input item that hold the files, separated by commas. A video of more than 20 MB goes straight to the storage in parts.",
    hint: "Files come in the order: binary fields, media IDs, image URLs, video URLs",
  },
  {
    displayName: "Media IDs",
    name: "mediaIds",
    type: "string",
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add Media ID" },
    default: [],
    description: "Files that Akimbo has already, as the resource Media returns them",
  },
  {
    displayName: "Video URLs",
    name: "videoUrls",
    type: "string",
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add URL" },
    default: [],
    placeholder: "e.g. https://example.com/video.mp4",
    description: "Public addresses of videos, which Akimbo downloads when it publishes",
  },
];

export const FOLLOW_UP_FIELDS: INodeProperties[] = [
  {
    displayName: "First Comment",
    name: "firstComment",
    type: "string",
    typeOptions: { rows: 2 },
    default: "",
    description: "The first comment under the post, where the platform takes one",
  },
  {
    displayName: "Thread",
    name: "thread",
    type: "string",
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add Post", rows: 3 },
    default: [],
    description: "Texts of the posts that follow as a thread, where the network has threads",
  },
];

/** Fields that one platform alone has. */
export const SETTINGS_FIELDS: INodeProperties[] = [
  {
    displayName: "Platform Settings",
    name: "settings",
    type: "fixedCollection",
    typeOptions: { multipleValues: true },
    placeholder: "Add Setting",
    default: {},
    description: "Fields that a platform has of its own. The guide of the platform lists them.",
    options: [
      {
        displayName: "Setting",
        name: "setting",
        values: [
          {
            displayName: "Name",
            name: "name",
            type: "string",
            default: "",
            placeholder: "e.g. privacy_level",
          },
          {
            displayName: "Value",
            name: "value",
            type: "string",
            default: "",
            placeholder: "e.g. SELF_ONLY",
          },
        ],
      },
    ],
  },
  {
    displayName: "Platform Settings (JSON)",
    name: "settingsJson",
    type: "json",
    default: "{}",
    description: "The same as one JSON object. Settings of the list above win.",
  },
];
