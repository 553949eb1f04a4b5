import type { ICredentialType, Icon, INodeProperties } from "n8n-workflow";

export class AkimboOAuth2Api implements ICredentialType {
  name = "akimboOAuth2Api";

  extends = ["oAuth2Api"];

  displayName = "Akimbo OAuth2 API";

  icon: Icon = { light: "file:../icons/akimbo.svg", dark: "file:../icons/akimbo.dark.svg" };

  documentationUrl = "https://www.npmjs.com/package/n8n-nodes-akimbo#credentials";

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      required: true,
      placeholder: "e.g. https://akimbo.example.com",
      description: "Address of your instance, without a path and without a slash at its end",
    },
    {
      displayName: "Grant Type",
      name: "grantType",
      type: "hidden",
      default: "pkce",
    },
    {
      displayName: "Authorization URL",
      name: "authUrl",
      type: "hidden",
      default: '={{ $self["baseUrl"] }}/authorize',
      required: true,
    },
    {
      displayName: "Access Token URL",
      name: "accessTokenUrl",
      type: "hidden",
      default: '={{ $self["baseUrl"] }}/token',
      required: true,
    },
    {
      displayName: "Scope",
      name: "scope",
      type: "hidden",
      default: "posts:publish accounts:read analytics:read pools:write links:write webhooks:write",
    },
    {
      displayName: "Auth URI Query Parameters",
      name: "authQueryParameters",
      type: "hidden",
      default: "",
    },
    {
      displayName: "Authentication",
      name: "authentication",
      type: "hidden",
      default: "header",
    },
  ];
}
