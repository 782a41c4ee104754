terraform {
  required_version = ">= 1.5"
}

# Storage for tide logs
resource "store_bucket" "tide" {
  name = "tide-${var.stage}"

  lifecycle_rule {
    days = 30
  }

  policy = <<-EOT
    resource "fake" "x" {
    }
  EOT
}

locals {
  zones = ["a", "b"]
}

output "name" { value = store_bucket.tide.name }
